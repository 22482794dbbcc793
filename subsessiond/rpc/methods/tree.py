"""`subsession.tree`: the operator's whole tree in pages, a node's own children, or what changed."""

from collections.abc import Callable, Sequence

import msgspec

from subsessiond.core.views.tree import (
    CHILD_ROWS_MOST,
    ROWS_MOST,
    changes_page,
    ids_below,
    own_children,
    page_of,
)
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node
from subsessiond.model.tree import Tree
from subsessiond.rpc.call import Call
from subsessiond.rpc.desk import Desk, not_found
from subsessiond.wire.params import TreeParams


class Page(msgspec.Struct, frozen=True, omit_defaults=True):
    """`model.view.TreeAnswer`, its rows already written."""

    rows: list[msgspec.Raw]
    seq: int
    resync: bool
    next: NodeId | None = None


async def tree(desk: Desk, call: Call, params: TreeParams) -> msgspec.Struct:
    """Show rows, or with `sinceSeq` the rows that changed after it."""
    scope = _scope(desk, call, params)
    if params.since_seq is None:
        return _whole(desk, scope, params, resync=False)
    if params.wait_ms:
        await desk.waiting.until(
            scope.wake(desk.tree), scope.moved(params.since_seq), params.wait_ms
        )
    if not desk.changes.knows(params.since_seq, desk.tree):
        return _whole(desk, scope, params, resync=True)
    return _changed(desk, scope, params.since_seq, scope.limit(params))


class Scope:
    """Which rows a caller asks for, and may see."""

    def __init__(self, node_id: NodeId | None, root: NodeId | None) -> None:
        self.parent = node_id
        """The node whose children are shown; none = the operator looks."""
        self.root = root

    @property
    def whole(self) -> bool:
        """Whether rows are the operator's."""
        return self.parent is None

    def limit(self, params: TreeParams) -> int:
        """Give the most rows of a page."""
        most = ROWS_MOST if self.whole else CHILD_ROWS_MOST
        return min(params.limit or most, most)

    def ids(self, desk: Desk) -> Sequence[NodeId]:
        """List all ids in the scope, in order."""
        if self.parent is not None:
            return own_children(desk.tree, self.parent)
        return desk.changes.ids if self.root is None else ids_below(desk.tree, self.root)

    def holds(self, node: Node) -> bool:
        """Tell whether a node is in the scope."""
        if self.parent is not None:
            return node.parent == self.parent
        return self.root is None or node.root == self.root

    def wake(self, tree: Tree) -> frozenset[NodeId] | None:
        """Name the nodes whose events can change the answer; none = all."""
        if self.parent is None:
            return None
        return frozenset((self.parent, *tree.children.get(self.parent, ())))

    def moved(self, since: int) -> Callable[[Tree], bool]:
        """Tell of a tree whether something in the scope changed after a number."""
        if self.parent is None:
            return lambda tree: tree.seq != since
        parent = self.parent
        return lambda tree: (
            tree.seq < since
            or any(tree.nodes[child].seq > since for child in tree.children.get(parent, ()))
        )


def _scope(desk: Desk, call: Call, params: TreeParams) -> Scope:
    caller = call.caller.node_id
    root = params.root_id
    if root is not None:
        node = desk.node(root)
        if not node.is_root or (caller is not None and desk.node(caller).root != root):
            raise not_found()
    return Scope(caller, root)


def _whole(desk: Desk, scope: Scope, params: TreeParams, *, resync: bool) -> Page:
    # Why the cursor is forgotten at a resync: it belongs to rows that are no longer true.
    after = None if resync else params.after
    ids, cursor = page_of(scope.ids(desk), after, scope.limit(params))
    rows = desk.rows.page(desk.tree, ids, whole=scope.whole)
    return Page(rows=rows, seq=desk.tree.seq, resync=resync, next=cursor)


def _changed(desk: Desk, scope: Scope, since: int, limit: int) -> Page:
    tree = desk.tree
    nodes = tree.nodes
    changes = [
        (seq, node_id)
        for seq, node_id in desk.changes.since(since)
        if (node := nodes.get(node_id)) is not None and scope.holds(node)
    ]
    ids, reached = changes_page(changes, limit)
    if reached is None:
        # Telemetry fills what is left of the page: it has no number to come back to.
        told = frozenset(ids)
        signs = (n for n in desk.changes.signs_since(since) if n not in told and n in nodes)
        fresh = (node_id for node_id in signs if scope.holds(nodes[node_id]))
        ids = (*ids, *(node_id for _, node_id in zip(range(limit - len(ids)), fresh, strict=False)))
    seq = tree.seq if reached is None else reached
    return Page(rows=desk.rows.page(tree, ids, whole=scope.whole), seq=seq, resync=False)
