import pytest
from msgspec.structs import replace

from subsessiond.model.decision import Accepted
from subsessiond.model.effects import StartChild
from subsessiond.model.events import NodeReleased, NodeSettled, NodeStarted, ProcessNoted
from subsessiond.model.node import Status
from subsessiond.model.rejection import Code, Rejection
from tests.support.moves import cancel, final, open_root, spawn, succeed
from tests.support.playbook import Play, later, nothing, play, said
from tests.support.policies import GUEST, JOINED, LEAD, a_policy
from tests.support.world import at_work, attach, ended, gone, started, sweep

DAY_MS = 24 * 3_600_000


def waiting(*labels: str, **limits: int) -> Play:
    """Let children wait to be attached."""
    now = play(a_policy(JOINED, agents=(GUEST,), **limits)) >> open_root()
    for label in labels or ("w",):
        now = now >> spawn(label, role="joined")
    return now


def test_the_first_process_is_the_child_and_no_second_one() -> None:
    """It is on record before anything runs, and the same one again gets its first answer."""
    now = waiting() >> attach("w") << said(ProcessNoted, "w") << said(Accepted, already=False)
    identity = now.node("w").identity
    assert identity is not None
    assert (identity.pid, identity.container) == (77, "attached")
    assert now.node("w").status is Status.CLAIMED
    now = now >> attach("w", pid=78) << Code.ALREADY_ATTACHED << nothing
    now = now >> attach("w") << nothing << said(Accepted, already=True) >> started("w")
    assert now.node("w").identity == identity
    _ = now >> attach("w", pid=78) << Code.ALREADY_ATTACHED << nothing
    _ = now >> attach("w") << nothing << said(Accepted, already=True)


def test_one_process_is_one_node() -> None:
    """Of two calls that one process made at the same moment one is refused."""
    now = waiting("w", "x") >> attach("w")
    now = now >> attach("x") << said(Rejection, step="process") << nothing
    now = now >> started("w") >> ended("w") >> gone("w")
    _ = now >> attach("x") << said(ProcessNoted, "x")


def test_only_nobodys_processes_and_its_own_may_attach() -> None:
    """A sibling sees no such node, its parent's processes cannot be their own child."""
    now = waiting("w", "x")
    _ = now >> attach("w", by="x") << Code.NOT_FOUND << nothing
    _ = now >> attach("w", by="root") << Code.NOT_ALLOWED << nothing
    _ = now >> attach("root") << Code.NOT_FOUND
    _ = now >> attach("nobody") << Code.NOT_FOUND
    _ = now >> attach("w", by="w") << said(ProcessNoted, "w")


def test_what_the_daemon_starts_is_nobodys_to_be() -> None:
    """A child of another runner takes no process, before its start as after it."""
    now = at_work(play(), "w") >> attach("w") << said(Rejection, step="runner") << nothing
    _ = now >> spawn("x") >> attach("x") << said(Rejection, step="runner") << nothing


def test_one_that_has_settled_takes_no_process() -> None:
    """Nor is one started again that had its process."""
    now = waiting() >> cancel("w", by="root")
    _ = now >> attach("w") << Code.NODE_NOT_LIVE << nothing
    now = waiting() >> attach("w") >> started("w") >> final("w")
    _ = now >> attach("w") << Code.NODE_NOT_LIVE << nothing


def test_a_successor_waits_for_the_release_of_its_predecessor() -> None:
    """Two processes never own the same files: nobody is attached before the first has gone."""
    now = waiting() >> attach("w") >> started("w") >> ended("w") >> gone("w", "process 77")
    now = now >> succeed("heir", "w", by="root")
    now = now >> attach("heir", pid=78) << said(Rejection, step="predecessor") << nothing
    now = now >> gone("w", watched=True) << said(NodeReleased, "w", by_operator=False)
    now = now << said(StartChild, "heir")
    _ = now >> attach("heir", pid=78) << said(ProcessNoted, "heir")


def test_it_waits_for_a_day_and_not_for_a_minute() -> None:
    """The start clock is for agents that the daemon starts; a limit of its own ends the waiting."""
    now = waiting() >> later(DAY_MS - 10) >> sweep() << nothing >> later(20) >> sweep()
    _ = now << said(NodeSettled, "w", settlement__reason="attach-timeout")
    now = waiting(attach_timeout_ms=5_000) >> later(6_000) >> sweep()
    _ = now << said(NodeSettled, "w", settlement__reason="attach-timeout")


@pytest.mark.parametrize("deadline_ms", [10_000, 3 * DAY_MS])
def test_a_deadline_takes_the_place_of_the_limit(deadline_ms: int) -> None:
    """A brief that says how long it is worth waiting for is believed."""
    now = play(a_policy(JOINED, agents=(GUEST,))) >> open_root()
    now = now >> spawn("w", role="joined", deadline_ms=deadline_ms)
    now = now >> later(deadline_ms - 10) >> sweep() << nothing >> later(20) >> sweep()
    _ = now << said(NodeSettled, "w", settlement__reason="deadline")


def test_its_silence_counts_unless_it_waits_for_a_child() -> None:
    """Nobody tells when its turn ends: with a live child or unread mail its clock stands still."""
    guide = replace(LEAD, name="guide", tier="guest")
    now = play(a_policy(guide, agents=(GUEST,))) >> open_root() >> spawn("g", role="guide")
    now = now >> attach("g") >> started("g")
    alone = now >> later(700_000) >> sweep() >> sweep()
    _ = alone << said(NodeSettled, "g", settlement__reason="retired-silent")
    now = now >> spawn("c", under="g") >> started("c") >> later(300_000) >> final("c")
    now = now >> later(700_000) >> sweep() >> sweep()
    assert now.node("g").status is Status.RUNNING


def test_one_that_was_attached_late_is_not_late() -> None:
    """A sweep between the record of its process and its start finds nothing wrong."""
    now = waiting() >> later(DAY_MS // 2) >> attach("w") >> sweep(at_once=True) << nothing
    _ = now >> started("w") << NodeStarted
