"""Tells the person on her desktop that something waits for her; nothing ever waits for that.

What comes in a burst is one notice, and however much happens there is one in ten seconds.
"""

import asyncio
from collections.abc import Callable
from typing import Final

import structlog

from subsessiond.core.views.blocked import is_queued
from subsessiond.core.views.notice import notice_of
from subsessiond.model.events import AnyEvent, NodeSettled, TreeForgotten
from subsessiond.model.ids import NodeId
from subsessiond.model.tree import Tree
from subsessiond.ports import Clock, Notifier

log = structlog.get_logger(__name__)

GATHER_MS: Final = 1_500
"""After the first of a burst: siblings that meet the same wall do so within a second or so."""

PACE_MS: Final = 10_000
"""Between two notices."""


class Notices:
    """Gathers what is worth a notice and has it shown.

    Args:
        tree: as it is now; what stands in the queue already is not told again.
        notifier: shows it.
        clock: is slept on.
        scrub: takes secrets out of what agents wrote.
        ends: whether it is told too that a root's last child has ended.
    """

    def __init__(
        self,
        tree: Tree,
        notifier: Notifier,
        clock: Clock,
        scrub: Callable[[str], str],
        *,
        ends: bool = False,
    ) -> None:
        self._tree = tree
        self._notifier = notifier
        self._clock = clock
        self._scrub = scrub
        self._ends = ends
        self._queued = {node.node_id for node in tree.nodes.values() if is_queued(tree, node)}
        self._waiting: dict[NodeId, None] = {}
        self._ended: dict[NodeId, None] = {}
        self._wake = asyncio.Event()

    def on_events(self, events: tuple[AnyEvent, ...], tree: Tree) -> None:
        """Keep up with the registry."""
        self._tree = tree
        for event in events:
            if isinstance(event, TreeForgotten):
                self._queued.intersection_update(tree.nodes)
            elif event.durable:
                self._look(event, tree)

    def _look(self, event: AnyEvent, tree: Tree) -> None:
        node = tree.nodes.get(event.node)
        if node is None:
            return
        if not is_queued(tree, node):
            self._queued.discard(node.node_id)
        elif node.node_id not in self._queued:
            self._queued.add(node.node_id)
            self._waiting[node.node_id] = None
            self._wake.set()
        is_last = isinstance(event, NodeSettled) and not tree.live_in.get(node.root)
        if self._ends and is_last and tree.roots.get(node.root):
            self._ended[node.root] = None
            self._wake.set()

    async def run(self) -> None:
        """Have notices shown until cancelled."""
        while True:
            await self._wake.wait()
            await self._clock.sleep(GATHER_MS)
            self._wake.clear()
            await self._show()
            await self._clock.sleep(PACE_MS)

    async def _show(self) -> None:
        """Tell what still holds: who was seen to meanwhile needs no notice."""
        nodes = self._tree.nodes
        waiting = tuple(nodes[key] for key in self._waiting if key in self._queued and key in nodes)
        ended = tuple(
            nodes[key] for key in self._ended if key in nodes and not self._tree.live_in.get(key)
        )
        self._waiting, self._ended = {}, {}
        if not waiting and not ended:
            return
        notice = notice_of(waiting, ended, self._scrub)
        if problem := await self._notifier.notify(notice.title, notice.text):
            log.warning("a notice was not shown", problem=problem)
