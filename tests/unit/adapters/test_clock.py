import time

from hypothesis import given
from hypothesis import strategies as st

from subsessiond.adapters.clock import STEP_MOST_MS, SystemClock


class Hand:
    """A monotonic clock that a test sets."""

    def __init__(self) -> None:
        self.ms = 1_000_000

    def __call__(self) -> int:
        """Read it."""
        return self.ms


def test_the_wall_clock_is_the_systems() -> None:
    """Wall time is milliseconds since 1970."""
    assert abs(SystemClock().wall_ms() - time.time() * 1_000) < 5_000


def test_a_stall_is_charged_as_one_step() -> None:
    """A minute in which nobody looked counts two seconds: a stall is nobody's silence."""
    hand = Hand()
    clock = SystemClock(monotonic_ms=hand)
    hand.ms += 500
    assert clock.awake_ms() == 500
    hand.ms += 60_000
    assert clock.awake_ms() == 500 + STEP_MOST_MS
    assert clock.awake_ms() == 500 + STEP_MOST_MS


def test_a_clock_that_is_set_back_takes_nothing_away() -> None:
    """A step back counts as nothing, and counting goes on from there."""
    hand = Hand()
    clock = SystemClock(monotonic_ms=hand)
    hand.ms += 100
    assert clock.awake_ms() == 100
    hand.ms -= 90_000
    assert clock.awake_ms() == 100
    hand.ms += 7
    assert clock.awake_ms() == 107


def test_it_begins_at_nothing() -> None:
    """Each life of the daemon begins its awake clock at 0, wherever the system's stands."""
    hand = Hand()
    assert SystemClock(monotonic_ms=hand).awake_ms() == 0


async def test_a_sleep_moves_it() -> None:
    """A sleep is a step of its own, so that many of them are charged one by one."""
    hand = Hand()
    clock = SystemClock(monotonic_ms=hand, step_most_ms=10)
    for _ in range(3):
        hand.ms += 8
        await clock.sleep(0)
    assert clock.awake_ms() == 24


@given(st.lists(st.integers(-100_000, 100_000)), st.integers(1, 5_000))
def test_no_reading_adds_more_than_a_step(steps: list[int], most_ms: int) -> None:
    """Whatever the clock below does, two readings differ by nothing below 0 or above one step."""
    hand = Hand()
    clock = SystemClock(monotonic_ms=hand, step_most_ms=most_ms)
    last = 0
    for step in steps:
        hand.ms += step
        now = clock.awake_ms()
        assert 0 <= now - last <= most_ms
        assert now - last == min(max(step, 0), most_ms)
        last = now
