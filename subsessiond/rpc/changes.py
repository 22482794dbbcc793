"""What changed in the tree, and when: so that an answer costs by changes and not by nodes.

Fed by the registry's publications. It holds no rows: only which node changed at which number, the
ids in order, and who stands in the queue.
"""

from bisect import bisect_left, insort
from collections import OrderedDict
from collections.abc import Iterator
from itertools import takewhile
from typing import Any, Final

from subsessiond.core.views.blocked import is_queued
from subsessiond.core.views.events import touched
from subsessiond.core.views.tree import Change
from subsessiond.model.events import AnyEvent, MessagesMoved, TreeForgotten
from subsessiond.model.ids import MessageId, NodeId
from subsessiond.model.message import MessageState
from subsessiond.model.tree import Tree

CHANGES_MOST: Final = 65_536
"""Nodes whose last change is known; a reader further behind starts over. About 10 MiB when full."""

MOVES_MOST: Final = 16_384
"""Messages that left their mailbox and whose last state is known."""


class Changes:
    """Index of changes, beside the tree."""

    def __init__(
        self, tree: Tree, handed: set[MessageId] | None = None, *, most: int = CHANGES_MOST
    ) -> None:
        self._most = most
        self._floor = tree.seq
        self._last: OrderedDict[NodeId, int] = OrderedDict()
        self._signs: OrderedDict[NodeId, int] = OrderedDict()
        self._moved: OrderedDict[MessageId, MessageState] = OrderedDict()
        self.handed = set[MessageId]() if handed is None else handed
        """Messages handed to their reader whose move is not published yet."""
        self.told: dict[NodeId, frozenset[MessageId]] = {}
        """Mail that a root's agent was told of when its turn would have ended."""
        self.announced: dict[NodeId, frozenset[MessageId]] = {}
        """Unread mail that a root's agent was told of on the answer to a call."""
        self.ids: list[NodeId] = sorted(tree.nodes)
        """Every node's id, in order."""
        self._queued = {node.node_id for node in tree.nodes.values() if is_queued(tree, node)}

    def on_events(self, events: tuple[AnyEvent, ...], tree: Tree) -> None:
        """Keep up with the registry."""
        for event in events:
            if isinstance(event, TreeForgotten):
                self._forget(tree)
            if event.node in tree.roots and not tree.roots[event.node]:
                self._leave_mail(event.node, tree)
            for node_id in touched(tree, event):
                if event.durable:
                    self._note(node_id, event.seq, tree)
                else:
                    self._signs[node_id] = tree.seq
                    self._signs.move_to_end(node_id)
            if isinstance(event, MessagesMoved):
                self._moved.update(dict.fromkeys(event.message_ids, event.state))
                self.handed.difference_update(event.message_ids)
        _trim(self._signs, self._most)
        _trim(self._moved, MOVES_MOST)

    def _forget(self, tree: Tree) -> None:
        """Let go of nodes that are in the store alone now."""
        self.ids = [node_id for node_id in self.ids if node_id in tree.nodes]
        self._queued &= set(self.ids)
        for index in (self._last, self._signs, self.told, self.announced):
            for node_id in [node_id for node_id in index if node_id not in tree.nodes]:
                del index[node_id]

    def _leave_mail(self, root: NodeId, tree: Tree) -> None:
        """Let go of those of a closed tree that stood here for their mail."""
        mine = (n for n in self._queued if n in tree.nodes and tree.nodes[n].root == root)
        self._queued -= {n for n in tuple(mine) if not is_queued(tree, tree.nodes[n])}

    def knows(self, seq: int, tree: Tree) -> bool:
        """Tell whether all that changed after a number is known here.

        A number that was never reached is not: it was given by another life of the registry.
        """
        return self._floor <= seq <= tree.seq

    def since(self, seq: int) -> tuple[Change, ...]:
        """List nodes that changed after a number with their last change, oldest first."""
        newest = takewhile(lambda change: change[1] > seq, reversed(self._last.items()))
        found = [(at, node_id) for node_id, at in newest]
        found.reverse()
        return tuple(found)

    def signs_since(self, seq: int) -> Iterator[NodeId]:
        """Give nodes with signs of life seen at a number or later, newest first.

        Telemetry has no number of its own: a reader may be told the same twice, never too little.
        """
        newest = takewhile(lambda sign: sign[1] >= seq, reversed(self._signs.items()))
        return (node_id for node_id, _ in newest)

    @property
    def queued(self) -> tuple[NodeId, ...]:
        """Ids of nodes in the operator's queue, in order."""
        return tuple(sorted(self._queued))

    def moved(self, message_id: MessageId) -> MessageState | None:
        """Tell the last state of a message that has been moved since the daemon started."""
        return self._moved.get(message_id)

    def _note(self, node_id: NodeId, seq: int, tree: Tree) -> None:
        if node_id not in self._last:
            self._learn(node_id)
        self._last[node_id] = seq
        self._last.move_to_end(node_id)
        if len(self._last) > self._most:
            _, self._floor = self._last.popitem(last=False)
        if is_queued(tree, tree.nodes[node_id]):
            self._queued.add(node_id)
        else:
            self._queued.discard(node_id)

    def _learn(self, node_id: NodeId) -> None:
        """Keep the id in order; new ids are later than all before, so this is an append."""
        if not self.ids or node_id > self.ids[-1]:
            self.ids.append(node_id)
        elif not _holds(self.ids, node_id):
            insort(self.ids, node_id)


def _holds(ids: list[NodeId], node_id: NodeId) -> bool:
    at = bisect_left(ids, node_id)
    return at < len(ids) and ids[at] == node_id


def _trim(entries: OrderedDict[Any, Any], most: int) -> None:
    while len(entries) > most:
        entries.popitem(last=False)
