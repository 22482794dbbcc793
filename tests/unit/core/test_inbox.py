import pytest

from subsessiond.model.decision import Moved
from subsessiond.model.events import MessagesMoved
from subsessiond.model.message import MessageState
from subsessiond.model.rejection import Code
from tests.support.moves import OPERATOR, acknowledge, finding, open_root, spawn
from tests.support.playbook import Play, nothing, play, said
from tests.support.world import IDENTITY, at_work, delivered, started


def with_mail() -> Play:
    """Begin with two findings in a root's mailbox."""
    return at_work(play(), "w") >> finding("w", "one") >> finding("w", "two")


def test_only_what_is_named_moves() -> None:
    """The rest stays, and names that are not there move nothing."""
    now = with_mail()
    first = now.mail("root")[0].message_id
    once = now >> acknowledge("root", first) << said(Moved, count=1)
    assert len(once.mail("root")) == 1
    _ = once >> acknowledge("root", first) << nothing << said(Moved, count=0)


def test_an_empty_mailbox_is_gone() -> None:
    """Nothing is kept of a mailbox that was read to its end."""
    now = with_mail() >> acknowledge("root") << said(Moved, count=2)
    assert not now.tree.mail


@pytest.mark.parametrize("by", ["w", "nobody"])
def test_nobody_else_acknowledges(by: str) -> None:
    """Neither a child nor who is not there; and who is not there looks the same."""
    now = with_mail()
    strange = now >> acknowledge("root", by=by) << Code.NOT_ALLOWED << nothing
    missing = now >> acknowledge("absent", by=by) << Code.NOT_ALLOWED << nothing
    assert strange.reply == missing.reply


def test_who_is_not_there_has_no_mail() -> None:
    """A caller whose record is gone gets a clear answer."""
    _ = play() >> acknowledge("nobody") << Code.NOT_FOUND


def test_the_operators_scripts_read_for_a_root_without_an_agent() -> None:
    """They act for it; where an agent is bound, only that agent's word counts."""
    _ = with_mail() >> acknowledge("root", by=OPERATOR) << MessagesMoved
    now = play() >> open_root(agent=IDENTITY) >> spawn("w") >> started("w") >> finding("w")
    _ = now >> acknowledge("root", by=OPERATOR) << Code.NOT_ALLOWED
    _ = now >> acknowledge("w", by=OPERATOR) << Code.NOT_ALLOWED


def test_handing_over_is_noted_once_and_is_no_acknowledgement() -> None:
    """The same message comes again until it is acknowledged."""
    now = with_mail() >> delivered("root") << said(MessagesMoved, state=MessageState.DELIVERED)
    assert [m.state for m in now.mail("root")] == [MessageState.DELIVERED] * 2
    _ = now >> delivered("root") << nothing
    _ = now >> delivered("nobody") << nothing


def test_what_an_agent_was_seen_to_read_is_acknowledged() -> None:
    """A steer that an agent took is gone from its mailbox."""
    assert not (with_mail() >> delivered("root", read=True)).mail("root")
