import asyncio
import threading
from collections.abc import Iterator

import pytest

from subsessiond.adapters.store.lane import Lane


@pytest.fixture
def lane() -> Iterator[Lane]:
    """Give a lane and end it."""
    made = Lane("test")
    yield made
    made.end()


async def test_jobs_run_in_order_in_one_thread(lane: Lane) -> None:
    """Jobs run one after the other, as asked for, and never in the loop's thread."""
    done: list[int] = []

    def job(n: int) -> int:
        done.append(n)
        return threading.get_ident()

    threads = await asyncio.gather(*(lane.run(lambda n=n: job(n)) for n in range(20)))  # type: ignore[misc]
    assert done == list(range(20))
    assert len(set(threads)) == 1
    assert threads[0] != threading.get_ident()


async def test_what_a_job_raises_is_raised_where_it_is_awaited(lane: Lane) -> None:
    """A fault of a job reaches its caller, and the lane goes on."""

    def fails() -> None:
        raise LookupError("here")

    with pytest.raises(LookupError, match="here"):
        await lane.run(fails)
    assert await lane.run(lambda: 7) == 7


async def test_a_job_is_done_though_nobody_waits(lane: Lane) -> None:
    """Cancelling the wait does not undo the job: a commit is true or not, whoever listens."""
    gate, done = threading.Event(), threading.Event()

    def job() -> None:
        gate.wait(5)
        done.set()

    waiting = asyncio.ensure_future(lane.run(job))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    gate.set()
    await lane.run(lambda: None)
    assert done.is_set()


async def test_waiting_jobs_run_within_a_long_one(lane: Lane) -> None:
    """A long job lets those that wait go first, in order."""
    done: list[str] = []
    started, gate = threading.Event(), threading.Event()

    def long() -> None:
        started.set()
        gate.wait(5)
        lane.drain()
        done.append("long")

    first = asyncio.ensure_future(lane.run(long))
    await asyncio.sleep(0)
    second = asyncio.ensure_future(lane.run(lambda: done.append("short")))
    await asyncio.sleep(0)
    lane.later(lambda: done.append("later"))
    gate.set()
    await asyncio.gather(first, second)
    assert started.is_set()
    assert done == ["short", "later", "long"]
