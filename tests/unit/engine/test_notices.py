"""`engine.notices`: what is told, when, and what is not."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
import structlog

from subsessiond.engine.notices import GATHER_MS, PACE_MS, Notices
from subsessiond.model.report import Outcome
from tests.support.desk import Bench, a_bench
from tests.support.manual_clock import ManualClock


class Desktop:
    """Remembers what it was to show."""

    def __init__(self) -> None:
        self.shown: list[tuple[str, str]] = []
        self.problem = ""

    async def notify(self, title: str, text: str) -> str:
        """Show a notice."""
        self.shown.append((title, text))
        return self.problem


class Room:
    """A registry whose notices go to a desktop, by a clock that is moved by hand."""

    def __init__(self, bench: Bench, *, ends: bool) -> None:
        self.bench = bench
        self.desktop = Desktop()
        self.clock = ManualClock()
        self.notices = Notices(bench.tree, self.desktop, self.clock, str.strip, ends=ends)
        bench.registry.listen(self.notices.on_events)
        self.task = asyncio.create_task(self.notices.run())

    async def blocked(self, root: str, title: str) -> str:
        """Let a child end in the queue."""
        child = await self.bench.child(root, title=title)
        await self.bench.finish(child, outcome=Outcome.BLOCKED, blockers=("question: x",))
        return child

    async def pass_ms(self, ms: int) -> None:
        """Let time pass, once somebody sleeps on it."""
        async with asyncio.timeout(10):
            await self.clock.wait_sleepers()
        await self.clock.move(ms)


@pytest_asyncio.fixture
async def room(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Room]:
    """Give a room; parametrized it also tells of ends."""
    async with a_bench(tmp_path) as bench:
        made = Room(bench, ends=getattr(request, "param", False))
        yield made
        made.task.cancel()
        await asyncio.wait((made.task,))


async def test_a_burst_is_one_notice_and_the_next_comes_after_a_while(room: Room) -> None:
    """Two that block together are told together; a third has to wait for its turn."""
    root = await room.bench.root()
    for title in ("a", "b"):
        await room.blocked(root, title)
    await room.pass_ms(GATHER_MS)
    assert room.desktop.shown == [("subsession: 2 wait for you", "a: question: x; b: question: x")]
    await room.blocked(root, "c")
    await room.pass_ms(PACE_MS - 1)
    assert len(room.desktop.shown) == 1
    await room.clock.move(1)
    await room.pass_ms(GATHER_MS)
    assert room.desktop.shown[1:] == [("subsession: waits for you", "c: question: x")]


async def test_reports_that_nobody_read_are_told(room: Room) -> None:
    """A parent that ends over them stands in the queue as one that is blocked does."""
    lead = await room.bench.child(await room.bench.root(), role="lead", title="lead")
    await room.bench.finish(await room.bench.child(lead))
    await room.bench.finish(lead, outcome=Outcome.FAILED)
    await room.pass_ms(GATHER_MS)
    told = ("subsession: waits for you", "lead: left reports that nobody read")
    assert room.desktop.shown == [told]


async def test_what_was_seen_to_meanwhile_is_not_told(room: Room) -> None:
    """Who was dismissed while others gathered needs nobody any more, and comes again if need be."""
    root = await room.bench.root()
    child = await room.blocked(root, "a")
    await room.bench.call("subsession.dismiss", nodeId=child)
    await room.pass_ms(GATHER_MS)
    assert room.desktop.shown == []


async def test_what_stood_in_the_queue_before_is_not_told_again(room: Room) -> None:
    """A daemon that starts anew does not repeat its queue, whatever happens to those in it."""
    root = await room.bench.root()
    child = await room.blocked(root, "old")
    later = Room(room.bench, ends=False)
    await room.bench.gone(child, "process 7")
    await later.blocked(root, "new")
    await later.pass_ms(GATHER_MS)
    later.task.cancel()
    assert later.desktop.shown == [("subsession: waits for you", "new: question: x")]


async def test_an_end_is_told_only_where_it_was_asked_for(room: Room) -> None:
    """A child that completes is no matter of the person's by default."""
    child = await room.bench.child(await room.bench.root(title="work"))
    await room.bench.finish(child)
    await room.blocked(await room.bench.root(), "a")
    await room.pass_ms(GATHER_MS)
    assert [text for _, text in room.desktop.shown] == ["a: question: x"]


@pytest.mark.parametrize("room", [True], indirect=True)
async def test_the_end_of_the_last_child_is_told_once_all_are_asked_for(room: Room) -> None:
    """Not the first of two, and not where another has begun meanwhile."""
    root, other = [await room.bench.root(title=title) for title in ("work", "more")]
    first, second, third = [await room.bench.child(one) for one in (root, root, other)]
    await room.bench.finish(first)
    await room.bench.finish(third)
    await room.bench.child(other)
    await room.bench.finish(second)
    await room.pass_ms(GATHER_MS)
    assert room.desktop.shown == [("subsession: ended", "all children of work have ended")]


@pytest.fixture
def log() -> Iterator[list[structlog.typing.EventDict]]:
    """Give what is logged."""
    with structlog.testing.capture_logs() as found:
        yield found


async def test_a_desktop_that_fails_is_logged_and_tried_again(
    room: Room, log: list[structlog.typing.EventDict]
) -> None:
    """A notice that cannot be shown harms nobody: the next one is tried."""
    root = await room.bench.root()
    room.desktop.problem = "notify-send ended with 1"
    await room.blocked(root, "a")
    await room.pass_ms(GATHER_MS)
    assert [line["problem"] for line in log if "problem" in line] == ["notify-send ended with 1"]
    await room.pass_ms(PACE_MS)
    await room.blocked(root, "b")
    await room.pass_ms(GATHER_MS)
    assert len(room.desktop.shown) == 2
