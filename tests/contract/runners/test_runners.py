"""What every runner promises, whatever its children are."""

import asyncio
from itertools import permutations
from typing import Any

import pytest

from subsessiond.model.commands import ConfirmStart
from subsessiond.model.process import Stopped
from subsessiond.ports import RunningChild
from tests.contract.runners.conftest import Case


async def begin(case: Case, child: RunningChild) -> "asyncio.Task[None]":
    """Run a child until it is surely under way."""
    running = asyncio.create_task(child.run())
    await case.under_way()
    return running


async def test_a_child_that_ends_is_told_of_exactly_once(case: Case) -> None:
    """A run confirms its start and says once how it ended; stopping it then changes nothing."""
    child = await case.ending()
    await child.run()
    assert await child.stop() == Stopped()
    assert await child.stop(hurry=True) == Stopped()
    assert len(case.stage.told(ConfirmStart)) == 1
    assert len(case.stage.outcomes()) == 1


async def test_nothing_happens_before_run(case: Case) -> None:
    """A child that is only made tells nothing, and stopping it is enough to be rid of it."""
    child = await case.lasting()
    child.wake()
    assert await child.stop() == Stopped()
    assert case.stage.voice.told == []


async def test_a_stop_before_run_starts_nothing(case: Case) -> None:
    """A child that was stopped before its run never starts and tells nothing."""
    child = await case.lasting()
    await child.stop()
    await child.run()
    assert await child.stop() == Stopped()
    assert case.stage.voice.told == []
    assert list(case.stage.folder.iterdir()) == []


async def test_a_stop_ends_the_run(case: Case) -> None:
    """Stopping a running child ends its run by itself, and every further stop says the same."""
    child = await case.lasting()
    running = await begin(case, child)
    first, second = await asyncio.gather(child.stop(), child.stop())
    await running
    assert first == second == await child.stop()
    assert first.leftovers == ()
    assert len(case.stage.outcomes()) <= 1


async def test_a_stop_that_meets_the_start_leaves_nothing(case: Case) -> None:
    """A stop right after the run began waits for the start and ends what was started."""
    child = await case.lasting()
    running = asyncio.create_task(child.run())
    await asyncio.sleep(0)
    stopped = await child.stop(hurry=True)
    await running
    assert stopped.leftovers == ()
    assert len(case.stage.outcomes()) <= 1


async def test_hurry_ends_all_waiting(case: Case) -> None:
    """A stop that waits for a grace of a minute returns when another one is in a hurry."""
    child = await case.stubborn()
    running = await begin(case, child)
    patient = asyncio.create_task(child.stop())
    await asyncio.sleep(0)
    hurried = await child.stop(hurry=True)
    assert await patient == hurried
    await running
    assert bool(hurried.leftovers) is not case.kills


@pytest.mark.parametrize("order", [*permutations(("run", "stop", "hurry"))], ids="-".join)
async def test_any_order_ends_with_one_outcome_at_most(case: Case, order: tuple[str, ...]) -> None:
    """Run and two stops, begun in any order, all return, and no outcome is told twice."""
    child = await case.ending()
    work: dict[str, Any] = {
        "run": child.run,
        "stop": child.stop,
        "hurry": lambda: child.stop(hurry=True),
    }
    tasks = []
    for name in order:
        tasks.append(asyncio.ensure_future(work[name]()))
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)
    assert len(case.stage.outcomes()) <= 1
    assert await child.stop() == await child.stop()


async def test_a_cancelled_run_leaves_no_task(case: Case) -> None:
    """A run that is cancelled ends at once; what it started goes with the stop."""
    child = await case.lasting()
    running = await begin(case, child)
    running.cancel()
    await asyncio.wait((running,))
    assert running.cancelled()
    stopped = await child.stop(hurry=True)
    assert not (case.kills and stopped.leftovers)


async def test_what_cannot_start_says_why(case: Case) -> None:
    """A child that cannot be run is a fault or a failed start, which names what is missing."""
    assert "no-such-thing" in await case.why_not()
    assert case.stage.told(ConfirmStart) == []


async def test_words_to_a_child_that_is_over_are_unread(case: Case) -> None:
    """What is said to a child before it runs or after its end is not read, and hurts nobody."""
    child = await case.ending()
    await child.run()
    assert await child.prompt("m.1", "hello") is False
    child.wake()
    await child.stop()
    assert await child.prompt("m.1", "hello") is False
    child.wake()
