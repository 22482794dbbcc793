import pytest

from subsessiond.core.lifecycle import TRANSITIONS, InvariantViolationError, next_status
from subsessiond.model.events import NodeReleased, NodeSettled, NodeStarted
from subsessiond.model.node import Status
from tests.support.moves import final, spawn
from tests.support.playbook import id_of, play
from tests.support.world import at_work, gone, not_started, noted


def test_every_path_leads_to_released_and_none_back() -> None:
    """No step of the table returns to a status that was left."""
    order = (None, *Status)
    for (before, _), after in TRANSITIONS.items():
        assert order.index(after) > order.index(before)
    assert set(TRANSITIONS.values()) == set(Status)


@pytest.mark.parametrize("status", [None, Status.SETTLED, Status.RELEASED, Status.RUNNING])
def test_a_step_outside_the_table_is_a_bug(status: Status | None) -> None:
    """Only a claimed node starts."""
    event = NodeStarted(node=id_of(1), at_ms=0)
    with pytest.raises(InvariantViolationError, match="cannot happen"):
        next_status(status, event)


def test_a_claimed_node_may_settle_and_only_a_settled_one_is_released() -> None:
    """The table has the two ways into settled and the one way out."""
    ways = {before for (before, event) in TRANSITIONS if event is NodeSettled}
    assert ways == {Status.CLAIMED, Status.RUNNING}
    assert [before for (before, event) in TRANSITIONS if event is NodeReleased] == [Status.SETTLED]


def test_a_final_before_the_start_was_seen_still_counts_as_having_run() -> None:
    """A child that speaks ran, whatever order its start was noticed in."""
    now = at_work(play()) >> spawn("w") >> final("w") >> gone("w")
    now = now >> spawn("heir", continues="w")
    assert now.node("w").successor == now.id("heir")


def test_a_recorded_process_makes_a_failed_start_uncertain() -> None:
    """Where a process was made something may have run: it waits for the proof that it is gone."""
    now = at_work(play()) >> spawn("w", key="k") >> noted("w") >> not_started("w")
    assert now.node("w").status is Status.SETTLED
    assert (now >> gone("w")).node("w").status is Status.RELEASED
