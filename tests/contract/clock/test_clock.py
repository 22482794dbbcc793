"""What every clock promises: the system's and the one that tests move by hand."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from typing import NamedTuple

import pytest

from subsessiond.adapters.clock import SystemClock
from subsessiond.ports import Clock
from tests.support.manual_clock import ManualClock


class Moved(NamedTuple):
    """A clock, and a way to let time pass on it."""

    clock: Clock
    pass_ms: Callable[[int], Awaitable[None]]


@pytest.fixture(params=["system", "manual"])
def moved(request: pytest.FixtureRequest) -> Moved:
    """Each clock in turn; the system's is moved by sleeping a few milliseconds."""
    if request.param == "system":
        system = SystemClock()
        return Moved(system, system.sleep)
    manual = ManualClock()
    return Moved(manual, manual.move)


async def test_both_clocks_move_on(moved: Moved) -> None:
    """After a while both clocks show at least that while more."""
    wall, awake = moved.clock.wall_ms(), moved.clock.awake_ms()
    await moved.pass_ms(10)
    assert moved.clock.awake_ms() - awake >= 9
    assert moved.clock.wall_ms() > wall


async def test_the_awake_clock_never_falls(moved: Moved) -> None:
    """Readings in a row never go back."""
    readings = []
    for _ in range(20):
        readings.append(moved.clock.awake_ms())
        await moved.pass_ms(1)
    assert all(one <= two for one, two in itertools.pairwise(readings))


async def test_a_sleeper_wakes_in_its_time(moved: Moved) -> None:
    """Who sleeps so long has so much more on the awake clock when it wakes."""
    before = moved.clock.awake_ms()
    sleeping = asyncio.create_task(moved.clock.sleep(10))
    await asyncio.sleep(0)
    await moved.pass_ms(10)
    await sleeping
    assert moved.clock.awake_ms() - before >= 9


async def test_a_sleep_can_be_cancelled(moved: Moved) -> None:
    """A sleeper that is not wanted any more leaves nothing behind."""
    sleeping = asyncio.create_task(moved.clock.sleep(600_000))
    await asyncio.sleep(0)
    sleeping.cancel()
    await asyncio.wait((sleeping,))
    assert sleeping.cancelled()
    await moved.pass_ms(1)
