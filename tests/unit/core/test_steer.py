from subsessiond.model.decision import Accepted
from subsessiond.model.effects import PromptChild, WakeReader
from subsessiond.model.message import Message, Source
from subsessiond.model.rejection import Code, Rejection
from tests.support.moves import OPERATOR, final, finding, spawn, steer, succeed
from tests.support.playbook import nothing, play, said
from tests.support.world import at_work, delivered, gone, not_started, started


def test_a_steer_is_accepted_and_says_that_it_is_not_read_yet() -> None:
    """It lies in the child's mailbox and is said to its agent."""
    now = at_work(play(), "w") >> steer("w", "Hurry.") << said(PromptChild, "w")
    now = now << said(Message, "w", source=Source.STEER, sender="root")
    assert isinstance(now.reply, Accepted)
    assert now.reply.text == f"accepted as message {now.mail('w')[0].message_id}; not read yet"
    assert now.mail("w")[0].text == "Message from the agent that started you:\nHurry."


def test_only_ones_own_child_is_steered() -> None:
    """S21: a sibling, the own parent, a root, a grandchild and nobody all look the same."""
    now = at_work(play(), "a", "b", role="lead") >> spawn("c", under="a") >> started("c")
    for label, by in (("a", "b"), ("root", "a"), ("c", "root"), ("nobody", "root"), ("c", "b")):
        _ = now >> steer(label, by=by) << Code.NOT_FOUND << nothing
    _ = now >> steer("root", by=OPERATOR) << Code.NOT_FOUND
    _ = now >> steer("c", by=OPERATOR) << PromptChild


def test_a_steer_has_a_limit() -> None:
    """2,000 estimated tokens; the refusal has both numbers."""
    now = at_work(play(), "w")
    _ = now >> steer("w", "x" * 6_000) << PromptChild
    now = now >> steer("w", "x" * 6_001) << Code.MESSAGE_TOO_LARGE << nothing
    assert isinstance(now.reply, Rejection)
    assert (now.reply.limit, now.reply.actual) == (6_000, 6_001)


def test_a_settled_child_is_not_steered() -> None:
    """Nobody would ever read it."""
    _ = at_work(play(), "w") >> final("w") >> steer("w") << Code.NODE_NOT_LIVE << nothing


def test_an_agent_that_takes_no_messages_is_not_steered() -> None:
    """The refusal names the agent instead of accepting what is never read."""
    _ = at_work(play(), "r", role="reader") >> steer("r") << Code.NOT_ALLOWED << nothing


def test_a_steer_to_a_child_that_starts_is_said_when_it_is_up() -> None:
    """S22: once, and not before there is anybody to hear it."""
    now = at_work(play()) >> spawn("w") >> steer("w")
    assert not now.effects
    now = now >> started("w") << said(PromptChild, "w", message_id=now.mail("w")[0].message_id)
    now = now >> delivered("w", read=True) >> final("w")
    assert [m.source for m in now.mail("root")] == [Source.REPORT]


def test_a_steer_to_a_child_that_never_starts_comes_back() -> None:
    """S22: the sender learns that it was not read."""
    now = at_work(play()) >> spawn("w") >> steer("w") >> not_started("w")
    assert [m.source for m in now.mail("root")] == [Source.SETTLED, Source.NOTICE]


def test_a_successor_is_woken_for_what_it_inherited() -> None:
    """Mail that passed to it before it was up is announced when it is."""
    now = at_work(play(), "lead", role="lead") >> spawn("w", under="lead") >> started("w")
    now = now >> finding("w") >> final("w") >> final("lead") >> gone("lead")
    now = now >> succeed("heir", "lead") >> started("heir") << said(WakeReader, "heir")


def test_a_mailbox_that_nobody_reads_fills_up() -> None:
    """S20: a parent that talks on and on is refused before its child's mailbox grows for ever."""
    now = at_work(play(), "w")
    for _ in range(100):
        now = now >> steer("w") << PromptChild
    now = now >> steer("w") << Code.BUSY << nothing
    assert isinstance(now.reply, Rejection)
    assert (now.reply.limit, now.reply.actual) == (100, 100)
    assert now.reply.retry_after_ms
