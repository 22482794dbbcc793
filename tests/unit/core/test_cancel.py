import pytest

from subsessiond.model.decision import Stopping
from subsessiond.model.effects import StopChild
from subsessiond.model.events import CancelRequested, NodeReleased, NodeSettled
from subsessiond.model.message import Source
from subsessiond.model.node import Status
from subsessiond.model.rejection import Code
from subsessiond.model.report import Outcome
from tests.support.moves import OPERATOR, cancel, close, final, open_root, release, spawn
from tests.support.playbook import Play, nothing, play, said
from tests.support.world import at_work, gone, started


def family() -> Play:
    """Begin with two siblings, one of which has a child."""
    now = at_work(play(), "a", "b", role="lead")
    return now >> spawn("c", under="a") >> started("c")


@pytest.mark.scenario("S21")
def test_cancelling_one_leaves_the_others_alone() -> None:
    """S21: the node and all below it end, siblings and those spawned since go on."""
    now = family() >> spawn("d") >> cancel("a")
    now = now << said(NodeSettled, "a", settlement__reason="cancelled-by-parent")
    now = now << said(NodeSettled, "c", settlement__outcome=Outcome.ORPHANED)
    now = now << said(StopChild, "a", after_ms=0) << said(StopChild, "c")
    now = now << said(Stopping, nodes=(now.id("a"), now.id("c")), already=False)
    assert [now.node(label).is_live for label in "bd"] == [True, True]


@pytest.mark.scenario("S21")
def test_only_what_is_below_is_cancelled() -> None:
    """S21: a sibling, the own parent, a grandchild, oneself and nobody look the same."""
    now = family()
    for label, by in (("a", "b"), ("root", "a"), ("c", "root"), ("b", "b"), ("nobody", "root")):
        _ = now >> cancel(label, by=by) << Code.NOT_FOUND << nothing


def test_the_operator_cancels_anything() -> None:
    """The reason says who it was; a root is closed by it."""
    now = family()
    by_hand = now >> cancel("c", by=OPERATOR)
    _ = by_hand << said(NodeSettled, "c", settlement__reason="cancelled-by-operator")
    _ = now >> cancel("root", by=OPERATOR) << said(CancelRequested, "root")


@pytest.mark.scenario("S21")
def test_a_settled_node_stays_as_it_is() -> None:
    """S21: its record stands, and the reply says so and lists what is not gone yet."""
    now = family() >> final("c") >> cancel("c", by="a")
    _ = now << said(Stopping, nodes=(now.id("c"),), already=True)
    now = now >> gone("c") >> cancel("c", by="a") << nothing
    _ = now << said(Stopping, nodes=(), already=True)
    settlement = now.node("c").settlement
    assert settlement is not None
    assert settlement.outcome is Outcome.COMPLETED


def test_a_turn_that_runs_on_after_its_final_is_hurried() -> None:
    """A cancel of the node, or of what is above it, asks for its stop at once, and only once."""
    now = family() >> final("c") << said(StopChild, "c", after_ms=10_000)
    itself = now >> cancel("c", by="a") << said(StopChild, "c", after_ms=0)
    _ = itself >> cancel("c", by="a") << nothing
    above = now >> cancel("a") << said(StopChild, "c", after_ms=0)
    assert len([one for one in above.effects if isinstance(one, StopChild)]) == 2
    _ = now >> close() << said(StopChild, "c", after_ms=0)


def test_what_runs_on_below_who_is_gone_is_hurried() -> None:
    """Its parent has been released; a cancel of that one still covers it."""
    now = family() >> final("c") >> final("a") >> gone("a")
    now = now >> cancel("a") << said(StopChild, "c", after_ms=0)
    _ = now << said(Stopping, nodes=(now.id("c"),), already=True)
    _ = now >> cancel("a") << nothing


def test_whoever_is_being_stopped_already_is_not_hurried() -> None:
    """Who was settled by the runtime is stopped at once as it is; leftovers wait for a person."""
    now = family() >> cancel("c", by="a")
    _ = now >> cancel("c", by="a") << nothing
    left = family() >> final("c") >> gone("c", "pid 7")
    _ = left >> cancel("c", by="a") << nothing


def test_cancelling_twice_is_cancelling_once() -> None:
    """The second call stops nothing more."""
    now = family() >> cancel("a") >> cancel("a") << nothing
    _ = now << said(Stopping, nodes=(now.id("a"), now.id("c")), already=True)


def test_a_closed_root_waits_for_its_childrens_processes() -> None:
    """Its children are cancelled first; it settles and is released with the last of them."""
    now = family() >> close() << said(NodeSettled, "a", settlement__reason="root-closed")
    assert now.node("root").status is Status.RUNNING
    now = now >> gone("a") >> gone("b")
    assert now.node("root").is_live
    now = now >> gone("c") << said(NodeSettled, "root", settlement__reason="closed")
    assert now.node("root").status is Status.RELEASED


def test_a_root_without_children_closes_at_once() -> None:
    """There is nothing to wait for, and closing again changes nothing."""
    now = play() >> open_root() >> close() << said(NodeReleased, "root")
    now = now << said(Stopping, nodes=(now.id("root"),), already=False)
    _ = now >> close() << nothing << said(Stopping, nodes=(), already=True)


def test_a_closing_root_waits_for_the_operator_where_something_is_left() -> None:
    """Leftovers keep it open; the release lets it close."""
    now = at_work(play(), "a", "b") >> final("b") >> close() >> gone("a", "pid 7") >> gone("b")
    assert now.node("root").is_live
    now = now >> close() << said(Stopping, already=True)
    now = now >> release("a") << said(NodeReleased, "a") << said(NodeReleased, "root")
    assert now.node("root").status is Status.RELEASED


def test_only_the_operator_closes_and_only_roots() -> None:
    """The root's own agent does not; a child and nobody are no roots."""
    now = family()
    _ = now >> close(by="root") << Code.NOT_ALLOWED << nothing
    _ = now >> close("a") << Code.NOT_FOUND
    _ = now >> close("nobody") << Code.NOT_FOUND


def test_the_mail_of_a_closing_root_is_still_there() -> None:
    """Whoever looks at a closed root sees what its children came to."""
    now = at_work(play(), "w") >> close() >> gone("w")
    assert [m.source for m in now.mail("root")] == [Source.SETTLED]
