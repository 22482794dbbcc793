from subsessiond.model.decision import Accepted
from subsessiond.model.effects import AppendJournal, StartChild
from subsessiond.model.events import LeftoversFound, NodeReleased
from subsessiond.model.node import Status
from subsessiond.model.rejection import Code
from tests.support.moves import OPERATOR, final, release, succeed
from tests.support.playbook import nothing, play, said
from tests.support.world import at_work, gone


def test_a_settled_node_is_released_when_its_processes_are_gone() -> None:
    """The journal tells how; a live node is not released, whatever anybody says is gone."""
    now = at_work(play(), "w") >> gone("w") << nothing >> final("w") >> gone("w", forced=True)
    now = now << said(NodeReleased, "w") << said(AppendJournal, "w", kind="released", line=4)
    assert now.node("w").forced
    assert now.node("w").released_at_ms == now.at_ms - 1
    _ = now >> gone("w") << nothing
    _ = now >> gone("nobody") << nothing


def test_what_cannot_be_proven_gone_keeps_its_claim() -> None:
    """Leftovers are recorded once and stay until the operator's word."""
    now = at_work(play(), "w", owns="a") >> final("w") >> gone("w", "pid 7", forced=True)
    now = now << said(LeftoversFound, "w", leftovers=("pid 7",))
    _ = now >> gone("w", "pid 7") << nothing
    more = now >> gone("w", "pid 7", "pid 8") << LeftoversFound
    assert more.node("w").forced
    assert more.node("w").leftovers == ("pid 7", "pid 8")


def test_nobody_but_the_operator_says_that_leftovers_are_gone() -> None:
    """Who finds nothing now, such as a runner that knows the node no more, has not looked."""
    now = at_work(play(), "w") >> final("w") >> gone("w", "pid 7") >> gone("w") << nothing
    now = now >> release("w") << said(NodeReleased, "w", by_operator=True)
    assert now.node("w").leftovers == ()


def test_what_was_watched_until_its_end_is_released_by_itself() -> None:
    """Who saw the very processes end that were left knows more than who finds nothing."""
    now = at_work(play(), "w") >> final("w") >> gone("w", "pid 7") >> gone("w", watched=True)
    now = now << said(NodeReleased, "w", by_operator=False)
    _ = now >> gone("w", watched=True) << nothing


def test_a_release_needs_a_person() -> None:
    """Neither a node nor a process of the operator frees a claim."""
    now = at_work(play(), "w") >> final("w") >> gone("w", "pid 7")
    _ = now >> release("w", by="root") << Code.NOT_ALLOWED << nothing
    _ = now >> release("w", by=OPERATOR) << Code.NOT_ALLOWED << nothing


def test_only_leftovers_are_released_by_hand() -> None:
    """A live node and one that is just stopping are released by themselves."""
    now = at_work(play(), "w")
    _ = now >> release("nobody") << Code.NOT_FOUND
    _ = now >> release("w") << Code.NOT_ALLOWED
    now = now >> final("w") >> release("w") << Code.NOT_ALLOWED << nothing
    _ = now >> gone("w") >> release("w") << nothing << said(Accepted, already=True)


def test_a_release_starts_the_successor_that_waited() -> None:
    """Exactly once, and whoever released it."""
    now = at_work(play(), "w") >> final("w") >> succeed("heir", "w")
    assert not any(isinstance(effect, StartChild) for effect in now.effects)
    _ = now >> gone("w") << said(StartChild, "heir")
    stuck = now >> gone("w", "pid 7")
    assert not any(isinstance(effect, StartChild) for effect in stuck.effects)
    now = stuck >> release("w") << said(StartChild, "heir")
    assert now.node("heir").status is Status.CLAIMED
    assert now.node("heir").sign_awake_ms == now.awake_ms - 1
