import asyncio

from subsessiond.rpc.lane import Lane
from subsessiond.rpc.running import Running


async def test_work_begins_in_order_whether_it_waits_or_not() -> None:
    """What has to wait holds nobody up, and nobody overtakes."""
    running, begun, ended, gate = Running(), list[int](), list[int](), asyncio.Event()
    lane = Lane(running)

    async def work(number: int) -> None:
        begun.append(number)
        if number % 3 == 0:
            await gate.wait()
        ended.append(number)

    for number in range(20):
        lane.add(work(number))
    for _ in range(100):  # turns of the loop: all that can run without the gate has run
        await asyncio.sleep(0)
    assert begun == list(range(20))
    assert ended == [number for number in range(20) if number % 3]
    gate.set()
    await running.settle(5)
    assert sorted(ended) == list(range(20))


async def test_a_timeout_inside_ends_its_own_work_alone() -> None:
    """Work may ask which task it is in: a timeout strikes the work that set it."""
    running, ended = Running(), list[str]()
    lane = Lane(running)

    async def late() -> None:
        try:
            async with asyncio.timeout(0.01):
                await asyncio.Event().wait()
        except TimeoutError:
            ended.append("late")

    async def next_one() -> None:
        await asyncio.sleep(0)
        ended.append("next")

    lane.add(late())
    lane.add(next_one())
    await running.settle(5)
    assert sorted(ended) == ["late", "next"]


async def test_what_comes_later_is_begun_too() -> None:
    """The lane wakes up for work that comes after it was empty."""
    running, done = Running(), asyncio.Event()
    lane = Lane(running)

    async def nothing() -> None:
        return

    async def last() -> None:
        done.set()

    lane.add(nothing())
    await running.settle(5)
    lane.add(last())
    async with asyncio.timeout(5):
        await done.wait()


async def test_closing_drops_what_was_not_begun() -> None:
    """Work behind a closed lane never runs and is not forgotten noisily."""
    running, begun = Running(), list[int]()
    lane = Lane(running)

    async def work() -> None:
        begun.append(1)

    lane.add(work())
    lane.close()
    await running.settle(5)
    assert begun == []


async def test_what_is_begun_at_once_is_over_before_anything_else() -> None:
    """Work that never waits needs no turn of the loop."""
    lane, ended = Lane(Running()), list[str]()

    async def read() -> None:
        ended.append("read")

    lane.add(read(), at_once=True)
    assert ended == ["read"]


async def test_nothing_is_begun_at_once_before_what_came_earlier() -> None:
    """Work that stands behind other work waits for its turn."""
    running, ended = Running(), list[str]()
    lane = Lane(running)

    async def work(name: str) -> None:
        ended.append(name)

    lane.add(work("write"))
    lane.add(work("read"), at_once=True)
    assert ended == []
    await running.settle(5)
    assert ended == ["write", "read"]


async def test_work_begun_at_once_may_wait_all_the_same() -> None:
    """It goes on by itself when what it waits for has come, again and again."""
    running, ended = Running(), list[str]()
    lane, first, second = Lane(running), asyncio.Event(), asyncio.Event()

    async def work() -> None:
        await first.wait()
        await asyncio.sleep(0)
        await second.wait()
        ended.append("work")

    lane.add(work(), at_once=True)
    first.set()
    second.set()
    await running.settle(5)
    assert ended == ["work"]


async def test_work_begun_at_once_hears_that_it_is_cancelled() -> None:
    """A cancellation strikes inside the work, where it waits, and may be answered there."""
    running, ended = Running(), list[str]()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await asyncio.sleep(0)
            ended.append("cancelled")
            raise

    Lane(running).add(work(), at_once=True)
    await asyncio.sleep(0)  # the task that goes on with it has begun
    await running.stop()
    assert ended == ["cancelled"]
