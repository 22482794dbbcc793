"""Views already written as JSON, as long as what they show has not changed.

Why: a tree is read far more often than it changes, and an immutable node is the same node or it is
another. One entry a node, bounded; what is dropped is made again.
"""

from collections.abc import Callable, Iterable
from operator import is_
from typing import Final

import msgspec

from subsessiond.core.unread import left_unread
from subsessiond.core.views.node import node_view
from subsessiond.core.views.row import child_row, row_of
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node
from subsessiond.model.tree import Tree
from subsessiond.model.view import ChildRow, Row

KEPT_MOST: Final = 4_096
"""Rows of each size kept; with 600 bytes a row a few MiB, for a page of 1,000 nodes several times
over."""

VIEWS_MOST: Final = 64
VIEW_MOST_BYTES: Final = 64 * 1024
"""Views of one node kept, and how large one may be: a few are looked at again and again."""

_encode = msgspec.json.Encoder().encode


class Rows:
    """Gives rows of nodes in both sizes."""

    def __init__(self) -> None:
        self._whole = _Kept(row_of)
        self._short = _Kept(lambda node, _: child_row(node))
        self._views: dict[NodeId, tuple[tuple[object, ...], msgspec.Raw]] = {}

    @property
    def kept(self) -> int:
        """How many rows and views are kept."""
        return self._whole.count + self._short.count + len(self._views)

    def view(self, tree: Tree, node: Node) -> msgspec.Raw:
        """Give the operator's view of one node."""
        # All that the view shows beside the node itself: immutable, so the same or another.
        box, children = tree.mail.get(node.node_id), tree.children.get(node.node_id)
        shows = (node, box, children, left_unread(tree, node))
        found = self._views.get(node.node_id)
        if found is not None and all(map(is_, found[0], shows)):
            return found[1]
        raw = msgspec.Raw(_encode(node_view(tree, node)))
        if len(self._views) >= VIEWS_MOST:
            self._views.clear()
        if len(bytes(raw)) <= VIEW_MOST_BYTES:
            self._views[node.node_id] = (shows, raw)
        return raw

    def whole(self, tree: Tree, node: Node) -> msgspec.Raw:
        """Give the operator's row."""
        return self._whole.of(node, left_unread(tree, node))

    def short(self, node: Node) -> msgspec.Raw:
        """Give a parent's row."""
        return self._short.of(node)

    def page(self, tree: Tree, ids: Iterable[NodeId], *, whole: bool) -> list[msgspec.Raw]:
        """Give the rows of those nodes that are in the tree."""
        nodes = (tree.nodes[node_id] for node_id in ids if node_id in tree.nodes)
        if not whole:
            return [self._short.of(node) for node in nodes]
        # Why asked first: hardly any node has mail, and a page has thousands.
        mail, row = tree.mail, self._whole.of
        return [
            row(node, left_unread(tree, node)) if node.node_id in mail else row(node)
            for node in nodes
        ]


class _Kept:
    def __init__(self, make: Callable[[Node, int], Row | ChildRow]) -> None:
        self._make = make
        self._kept: dict[NodeId, tuple[Node, int, msgspec.Raw]] = {}

    @property
    def count(self) -> int:
        return len(self._kept)

    def of(self, node: Node, unread: int = 0) -> msgspec.Raw:
        """Give a node's row; beside the node it shows only how much mail was left."""
        found = self._kept.get(node.node_id)
        if found is not None and found[0] is node and found[1] == unread:
            return found[2]
        if len(self._kept) >= KEPT_MOST:
            self._kept.clear()
        raw = msgspec.Raw(_encode(self._make(node, unread)))
        self._kept[node.node_id] = (node, unread, raw)
        return raw
