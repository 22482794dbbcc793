"""`engine.journaling`: lines reach their files behind the commits, in order, and nobody hangs."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from subsessiond.engine import journaling
from subsessiond.engine.journaling import Journaling
from subsessiond.model.effects import AppendJournal
from subsessiond.model.ids import NodeId
from subsessiond.model.tree import Tree
from subsessiond.ports import Batch, JournalLine, StoreFault, WorkspaceFault
from tests.support.memory_store import MemoryStore
from tests.support.playbook import id_of

NODE = id_of(1)


class GatedJournals:
    """Journals that write when the test says so, and keep what they wrote."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.go.set()
        self.batches: list[tuple[int, ...]] = []
        self.fault: Exception | None = None
        self.safe = True
        self.begun = asyncio.Event()

    async def append(self, lines: tuple[JournalLine, ...]) -> tuple[tuple[NodeId, int], ...]:
        """Write lines."""
        self.begun.set()
        await self.go.wait()
        if self.fault is not None:
            raise self.fault
        self.batches.append(tuple(line.n for line in lines))
        return tuple((line.node_id, line.n) for line in lines) if self.safe else ()

    async def read(self, *_: object) -> tuple[()]:
        """Not used."""
        raise AssertionError


def effect(n: int) -> AppendJournal:
    """Make the effect that asks for one line."""
    return AppendJournal(node=NODE, workspace="/w", line=n, kind="report", at_ms=n, body={"n": n})


async def store_with(*numbers: int) -> MemoryStore:
    """Make a store that keeps these lines as not yet synced."""
    store = MemoryStore()
    lines = tuple(
        JournalLine(node_id=NODE, workspace="/w", n=n, at_ms=n, kind="report", body={})
        for n in numbers
    )
    await store.commit(Batch(events=(), tree=Tree(), lines=lines))
    return store


@asynccontextmanager
async def running(made: Journaling) -> AsyncIterator[None]:
    """Run the writer for the length of a block."""
    task = asyncio.create_task(made.run())
    try:
        yield
    finally:
        made.stop()
        await task


async def test_lines_are_written_in_order_and_in_batches() -> None:
    """What queues while a batch is written is the next batch, and the store hears what is safe."""
    journals, store = GatedJournals(), await store_with(1, 2, 3)
    made = Journaling(journals, store)
    journals.go.clear()
    async with running(made):
        made.add(effect(1))
        await journals.begun.wait()
        made.add(effect(2))
        made.add(effect(3))
        journals.go.set()
        await made.settle()
        assert journals.batches == [(1,), (2, 3)]
        assert await store.unsynced_lines() == ()


async def test_an_earlier_life_is_caught_up_with() -> None:
    """Lines that were committed and may not be in their files are written first."""
    journals = GatedJournals()
    made = Journaling(journals, await store_with(1, 2))
    await made.catch_up()
    async with running(made):
        await made.settle()
    assert journals.batches == [(1, 2)]


async def test_settling_with_nothing_queued_returns() -> None:
    """With nothing to wait for nobody waits, whether it runs or not."""
    made = Journaling(GatedJournals(), MemoryStore())
    await made.settle()
    async with running(made):
        await made.settle()


async def test_settling_waits_for_no_later_lines() -> None:
    """Who waits for what is queued now is not held up by what others queue meanwhile."""
    journals, store = GatedJournals(), await store_with(1, 2)
    made = Journaling(journals, store)
    journals.go.clear()
    async with running(made):
        made.add(effect(1))
        waiting = asyncio.create_task(made.settle())
        await journals.begun.wait()
        made.add(effect(2))
        journals.go.set()
        journals.begun.clear()
        await waiting
        journals.go.clear()
        assert (1,) in journals.batches
        journals.go.set()


@pytest.mark.parametrize("fault", [WorkspaceFault("gone"), StoreFault("busy"), OSError("full")])
async def test_what_cannot_be_written_waits_in_the_store(fault: Exception) -> None:
    """A fault loses no line and ends nothing: later lines are tried, waiters go on."""
    journals, store = GatedJournals(), await store_with(1, 2)
    made = Journaling(journals, store)
    journals.fault = fault
    async with running(made):
        made.add(effect(1))
        await made.settle()
        journals.fault = None
        made.add(effect(2))
        await made.settle()
    assert [line.n for line in await store.unsynced_lines()] == [1]


async def test_lines_that_are_not_safe_are_not_called_safe() -> None:
    """The store goes on keeping lines that the journals could not vouch for."""
    journals, store = GatedJournals(), await store_with(1)
    journals.safe = False
    made = Journaling(journals, store)
    async with running(made):
        made.add(effect(1))
        await made.settle()
    assert len(await store.unsynced_lines()) == 1


async def test_stopping_writes_what_is_queued() -> None:
    """A stop comes after the lines that were queued before it, also before it ever ran."""
    journals, store = GatedJournals(), await store_with(1)
    made = Journaling(journals, store)
    made.add(effect(1))
    made.stop()
    await made.run()
    assert journals.batches == [(1,)]


async def test_nobody_waits_for_a_writer_that_has_ended() -> None:
    """Once the writer has ended, for whatever reason, those who wait are let go."""
    journals = GatedJournals()
    made = Journaling(journals, MemoryStore())
    journals.fault = KeyError("a bug")
    made.add(effect(1))
    waiting = asyncio.create_task(made.settle())
    with pytest.raises(KeyError):
        await made.run()
    await waiting
    made.add(effect(2))
    await made.settle()


async def test_who_asks_while_lines_are_written_does_not_wait_for_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A reader that comes during one pass has its lines written by the next one, at once."""
    monkeypatch.setattr(journaling, "REST_S", 3_600)
    journals = GatedJournals()
    made = Journaling(journals, await store_with(1, 2))
    journals.go.clear()
    async with running(made):
        made.add(effect(1))
        await journals.begun.wait()
        made.add(effect(2))
        waiting = asyncio.create_task(made.settle())
        await asyncio.sleep(0)
        journals.go.set()
        async with asyncio.timeout(10):
            await waiting
    assert journals.batches == [(1,), (2,)]
