import asyncio

from subsessiond.rpc.running import Running


async def test_what_runs_is_waited_for_within_a_bound() -> None:
    """Settling ends when all has ended, or when the time is up."""
    running, gate = Running(), asyncio.Event()
    running.start(gate.wait())
    await running.settle(0.01)
    gate.set()
    await running.settle(5)
    await running.settle(5)


async def test_stopping_cancels_what_is_started_meanwhile_too() -> None:
    """Nothing is left, though one task starts another while it ends."""
    running, ended = Running(), list[str]()

    async def last() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("last")

    async def first() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            running.start(last())
            ended.append("first")

    running.start(first())
    await asyncio.sleep(0)
    await running.stop()
    assert ended[0] == "first"
    await running.stop()
