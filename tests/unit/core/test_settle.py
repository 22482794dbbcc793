import pytest

from subsessiond.core.settle import STOP_REASONS, settlement_of
from subsessiond.model.effects import StopChild
from subsessiond.model.events import NodeSettled
from subsessiond.model.message import Source
from subsessiond.model.node import Author, Phase
from subsessiond.model.report import Outcome, Report, Stage
from tests.support.moves import cancel, close, final, open_root, progress, spawn
from tests.support.playbook import Play, kinds, play, said
from tests.support.world import at_work, ended, started


def three_levels() -> Play:
    """Begin with a lead, a lead below it, and a worker below that."""
    now = at_work(play(), "a", role="lead")
    now = now >> spawn("b", under="a", role="lead", token_cap=500_000) >> started("b")
    return now >> spawn("c", under="b") >> started("c")


def test_all_that_lives_below_settles_in_the_same_step() -> None:
    """S03: nobody is left behind with work that nobody waits for; each is stopped at once."""
    now = three_levels() >> ended("a")
    for label in "bc":
        now = now << said(NodeSettled, label, settlement__outcome=Outcome.ORPHANED)
        now = now << said(StopChild, label, after_ms=0)
    assert now.tree.live_total == 0


def test_orphans_of_an_orphan_give_no_message() -> None:
    """The child of who settled is told of once, to that mailbox; what is below it never."""
    now = three_levels() >> ended("a")
    assert [now.label(m.sender) for m in now.mail("root")] == ["a"]
    assert [now.label(m.sender) for m in now.mail("a")] == ["b"]
    assert now.mail("b") == ()
    settlement = now.node("c").settlement
    assert settlement is not None
    assert settlement.message_id is None


def test_settled_children_stay_as_they_were() -> None:
    """A final that came first is not rewritten by the parent's end."""
    now = three_levels() >> final("c") >> ended("a")
    settlement = now.node("c").settlement
    assert settlement is not None
    assert settlement.outcome is Outcome.COMPLETED


def test_a_settled_node_is_stopping_and_forgets_what_it_no_longer_needs() -> None:
    """The report that could have been promoted is let go."""
    node = (at_work(play(), "w") >> progress("w", "x") >> final("w")).node("w")
    assert (node.phase, node.promotable) == (Phase.STOPPING, False)
    assert (node.newest, node.last_report) == (None, None)


def test_the_order_of_what_happens_is_fixed() -> None:
    """Progress is superseded, the node settles, the parent is told, then come the orphans."""
    now = three_levels() >> progress("a", "x") >> cancel("a")
    assert kinds(now.events) == (
        "CancelRequested",
        "MessagesMoved",
        "NodeSettled",
        "MessageStaged",
        "NodeSettled",
        "MessageStaged",
        "NodeSettled",
    )


def test_the_runtimes_words_are_never_credited_to_the_child() -> None:
    """A notice says who wrote it, and its source says so too."""
    now = at_work(play(), "w") >> ended("w", output="exit 3")
    message = now.mail("root")[0]
    assert message.source is Source.SETTLED
    assert "The runtime wrote this, not the child." in message.text
    assert message.text.endswith("\nexit 3")
    settlement = now.node("w").settlement
    assert settlement is not None
    assert settlement.author is Author.RUNTIME


def test_a_root_has_nobody_to_tell() -> None:
    """Closing a root stages no message anywhere."""
    now = play() >> open_root() >> close()
    assert not now.tree.mail


@pytest.mark.parametrize("outcome", list(Outcome))
def test_every_outcome_has_a_stop_reason(outcome: Outcome) -> None:
    """The table of outcomes is complete."""
    assert outcome in dict(STOP_REASONS)


def test_a_report_without_outcome_is_taken_as_completed() -> None:
    """So it is for one that is promoted."""
    said_so = settlement_of(Report(stage=Stage.PROGRESS, output="x"), "promoted")
    assert said_so.outcome is Outcome.COMPLETED
