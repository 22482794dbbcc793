"""Waiting for the tree to change: any number of waiters, one timer, no thread."""

import asyncio
import heapq
from collections.abc import Callable, Iterator
from itertools import count

from subsessiond.engine.registry import Registry
from subsessiond.model.events import AnyEvent, MailForwarded, MessageStaged, NodeAdmitted
from subsessiond.model.ids import NodeId
from subsessiond.model.tree import Tree

Predicate = Callable[[Tree], bool]


class Waiter:
    """One caller that waits until something is true of the tree."""

    __slots__ = ("future", "nodes", "predicate")

    def __init__(
        self,
        predicate: Predicate,
        nodes: frozenset[NodeId] | None,
        future: asyncio.Future[bool],
    ) -> None:
        self.predicate = predicate
        self.nodes = nodes
        self.future = future


class Waiting:
    """Wakes waiters when a node they care about changes, or when their time is over."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._by_node: dict[NodeId | None, dict[int, Waiter]] = {}
        self._deadlines: list[tuple[float, int, Waiter]] = []
        self._ids = count()
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False
        registry.listen(self._on_events)

    async def until(
        self,
        wake: frozenset[NodeId] | None,
        predicate: Predicate,
        timeout_ms: int,
    ) -> bool:
        """Wait until the predicate holds of the published tree.

        Args:
            wake: nodes whose changes are looked at; none = every change.
            predicate: cheap and pure; called once now and at each such change.
            timeout_ms: how long at most; 0 looks once.

        Returns:
            Whether it holds.
        """
        if predicate(self._registry.tree):
            return True
        if timeout_ms <= 0 or self._closed:
            return False
        loop = asyncio.get_running_loop()
        waiter = Waiter(predicate, wake, loop.create_future())
        key = next(self._ids)
        self._add(key, waiter, loop.time() + timeout_ms / 1_000)
        try:
            return await waiter.future
        finally:
            self._forget(key, waiter)

    def close(self) -> None:
        """Answer everybody now: shutdown does not wait for those who wait."""
        self._closed = True
        waiters = {id(w): w for found in self._by_node.values() for w in found.values()}
        for waiter in waiters.values():
            _resolve(waiter, held=waiter.predicate(self._registry.tree))
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _add(self, key: int, waiter: Waiter, deadline: float) -> None:
        for node in _nodes(waiter):
            self._by_node.setdefault(node, {})[key] = waiter
        heapq.heappush(self._deadlines, (deadline, key, waiter))
        self._set_timer()

    def _forget(self, key: int, waiter: Waiter) -> None:
        for node in _nodes(waiter):
            found = self._by_node.get(node, {})
            found.pop(key, None)
            if not found:
                self._by_node.pop(node, None)

    def _on_events(self, events: tuple[AnyEvent, ...], tree: Tree) -> None:
        if not self._by_node:
            return
        touched = {node for event in events for node in _touched(event)}
        for node in (None, *touched):
            for waiter in tuple(self._by_node.get(node, {}).values()):
                if not waiter.future.done() and waiter.predicate(tree):
                    _resolve(waiter, held=True)

    def _set_timer(self) -> None:
        """Keep one timer, for whoever's time is over first."""
        while self._deadlines and self._deadlines[0][2].future.done():
            heapq.heappop(self._deadlines)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._deadlines and not self._closed:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_at(self._deadlines[0][0], self._on_timer)

    def _on_timer(self) -> None:
        now = asyncio.get_running_loop().time()
        while self._deadlines and self._deadlines[0][0] <= now:
            _resolve(heapq.heappop(self._deadlines)[2], held=False)
        self._timer = None
        self._set_timer()


def _nodes(waiter: Waiter) -> Iterator[NodeId | None]:
    if waiter.nodes is None:
        yield None
    else:
        yield from waiter.nodes


def _touched(event: AnyEvent) -> Iterator[NodeId]:
    yield event.node
    if isinstance(event, MessageStaged) and event.caused_by is not None:
        yield event.caused_by
    elif isinstance(event, MailForwarded):
        yield event.to
    elif isinstance(event, NodeAdmitted) and event.record.parent is not None:
        yield event.record.parent


def _resolve(waiter: Waiter, *, held: bool) -> None:
    if not waiter.future.done():
        waiter.future.set_result(held)
