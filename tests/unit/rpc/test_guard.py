"""`rpc.guard`."""

import pytest

from subsessiond.rpc.guard import IN_FLIGHT_MOST, INTERVAL_MS, KEPT_MOST, REFUSALS_MOST, Guard


def test_so_many_calls_are_under_way_and_no_more() -> None:
    """A caller has 64 calls under way; the next is turned away until one has ended."""
    guard = Guard()
    assert all(guard.enter("a") for _ in range(IN_FLIGHT_MOST))
    assert not guard.enter("a")
    guard.leave("a")
    assert guard.enter("a")


def test_one_caller_does_not_count_for_another() -> None:
    """A caller that fills its share leaves that of others alone."""
    guard = Guard()
    for _ in range(IN_FLIGHT_MOST):
        guard.enter("a")
    for _ in range(REFUSALS_MOST):
        guard.note_refusal("a", 0)
    assert guard.enter("b")
    assert guard.wait_ms("b", 0) == 0


def test_calls_that_ended_leave_nothing_behind() -> None:
    """When every call has ended nothing is remembered of its caller."""
    guard = Guard()
    guard.enter("a")
    guard.enter("a")
    guard.leave("a")
    guard.leave("a")
    assert guard.in_flight == 0


@pytest.mark.scenario("S20")
def test_sixty_refusals_a_minute_are_answered_and_then_one_a_second() -> None:
    """The 61st refusal of a minute has to wait, by the time that is said; then one a second."""
    guard = Guard()
    for _ in range(REFUSALS_MOST):
        assert guard.wait_ms("a", 5_000) == 0
        guard.note_refusal("a", 5_000)
    wait_ms = guard.wait_ms("a", 5_000)
    assert wait_ms == INTERVAL_MS
    assert guard.wait_ms("a", 5_000 + wait_ms) == 0
    guard.note_refusal("a", 5_000 + wait_ms)
    assert guard.wait_ms("a", 5_000 + wait_ms) == INTERVAL_MS


def test_a_minute_later_everything_is_forgotten() -> None:
    """After a quiet minute a caller may be refused sixty times again."""
    guard = Guard()
    for _ in range(REFUSALS_MOST):
        guard.note_refusal("a", 0)
    for _ in range(REFUSALS_MOST):
        assert guard.wait_ms("a", 60_000) == 0
        guard.note_refusal("a", 60_000)


def test_memory_does_not_grow_with_callers() -> None:
    """Callers with nothing left to remember are forgotten when there are very many."""
    guard = Guard()
    for n in range(KEPT_MOST + 1):
        guard.note_refusal(n, n * INTERVAL_MS)
    assert guard.remembered <= 2
