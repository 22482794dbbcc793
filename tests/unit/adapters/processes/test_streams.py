"""`adapters.processes.streams`, on pipes alone; with processes it stands in the contract."""

import asyncio
import os

from subsessiond.adapters.processes.streams import Tail


def a_tail() -> tuple[Tail, int]:
    """Give a tail, and the end of its pipe that is written to."""
    reads, writes = os.pipe()
    os.set_blocking(reads, False)
    return Tail(reads, 100), writes


async def test_another_thread_is_given_what_the_loop_reads() -> None:
    """It closes nothing itself: a descriptor that is closed twice is somebody else's by then."""
    tail, writes = a_tail()
    os.write(writes, b"the last words")
    os.close(writes)
    told = await asyncio.gather(*(asyncio.to_thread(tail.last, 100) for _ in range(8)))
    assert set(told) == {b"the last words"}
    assert tail.last(4) == b"ords"


async def test_a_thread_that_outlives_the_loop_is_given_what_was_kept() -> None:
    """Nobody reads the pipe any more, and nobody has to be waited for."""
    tail, writes = a_tail()
    os.write(writes, b"kept")
    assert tail.last(100) == b"kept"
    tail.close()
    os.close(writes)
    other = asyncio.new_event_loop()
    other.close()
    tail._loop = other  # noqa: SLF001  # as if the loop it was made on were over
    assert await asyncio.to_thread(tail.last, 100) == b"kept"
