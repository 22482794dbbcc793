"""`engine.waiting`: any number of waiters, one timer, no thread."""

import asyncio
import threading

from subsessiond.engine.waiting import Waiting
from subsessiond.model.tree import Tree
from tests.support.engines import engine

LONG_MS = 20_000


async def test_what_holds_already_is_not_waited_for() -> None:
    """A predicate that holds answers at once."""
    async with engine() as made:
        waiting = Waiting(made.registry)
        assert await waiting.until(None, lambda _tree: True, LONG_MS)


async def test_a_look_without_time_answers_at_once() -> None:
    """With no time to wait, it looks once."""
    async with engine() as made:
        waiting = Waiting(made.registry)
        assert not await waiting.until(None, lambda _tree: False, 0)


async def test_a_change_wakes_who_waits_for_it() -> None:
    """A waiter wakes when the tree comes to be as it waits for."""
    async with engine() as made:
        waiting = Waiting(made.registry)
        wants = asyncio.create_task(
            waiting.until(None, lambda tree: len(tree.nodes) == 2, LONG_MS),
        )
        await made.root()
        await asyncio.sleep(0)
        assert not wants.done()
        await made.root()
        assert await wants


async def test_only_changes_of_the_named_nodes_are_looked_at() -> None:
    """A waiter for one node is not asked when another one changes."""
    async with engine() as made:
        waiting = Waiting(made.registry)
        root = await made.root()
        looks = 0

        def look(_tree: Tree) -> bool:
            nonlocal looks
            looks += 1
            return False

        wants = asyncio.create_task(waiting.until(frozenset({root}), look, LONG_MS))
        await asyncio.sleep(0)
        await made.root()
        await made.root()
        wants.cancel()
        await asyncio.wait((wants,))
    assert looks == 1


async def test_time_over_is_told() -> None:
    """A waiter whose time is over is told that it does not hold."""
    async with engine() as made:
        waiting = Waiting(made.registry)
        async with asyncio.timeout(10):
            assert not await waiting.until(None, lambda _tree: False, 5)


async def test_a_thousand_waiters_cost_one_timer_and_no_thread() -> None:
    """However many wait, the loop holds one timer of ours and no thread is added."""
    async with engine() as made:
        waiting = Waiting(made.registry)
        root = await made.root()
        threads = threading.active_count()
        loop = asyncio.get_running_loop()
        timers = _timers(loop)
        waiters = [
            asyncio.create_task(waiting.until(frozenset({root}), lambda _tree: False, LONG_MS + n))
            for n in range(1_000)
        ]
        await asyncio.sleep(0)
        assert threading.active_count() == threads
        assert _timers(loop) <= timers + 1
        waiting.close()
        assert await asyncio.gather(*waiters) == [False] * 1_000


async def test_closing_answers_everybody_and_later_ones_at_once() -> None:
    """Shutdown waits for nobody who waits."""
    async with engine() as made:
        waiting = Waiting(made.registry)
        wants = asyncio.create_task(waiting.until(None, lambda _tree: False, LONG_MS))
        await asyncio.sleep(0)
        waiting.close()
        assert not await wants
        assert not await waiting.until(None, lambda _tree: False, LONG_MS)


def _timers(loop: asyncio.AbstractEventLoop) -> int:
    """Count timers that can still fire."""
    scheduled = loop._scheduled  # type: ignore[attr-defined]  # noqa: SLF001  # no public count
    return sum(not handle.cancelled() for handle in scheduled)
