"""`subsession.stats`: what sessions hold against what their parents were shown of them."""

from collections.abc import Iterable, Sequence

from subsessiond.core.views.ledger import ledger_row, ledger_sum
from subsessiond.core.views.tree import ROWS_MOST, ids_below, page_of
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node
from subsessiond.model.view import LedgerAnswer, LedgerRow, LedgerSum
from subsessiond.rpc.call import Call
from subsessiond.rpc.desk import Desk
from subsessiond.rpc.rights import require_operator
from subsessiond.wire.stats import StatsParams


async def stats(desk: Desk, call: Call, params: StatsParams) -> LedgerAnswer:
    """Show the ledger of everything in memory, or of one node and all below it."""
    require_operator(call)
    roots: tuple[NodeId, ...] = ()
    if params.node_id is None:
        nodes = desk.tree.nodes
        known = [node for name in desk.changes.ids if not (node := nodes[name]).is_root]
    else:
        top = await desk.any_node(params.node_id)
        roots = (top.root,)
        known = _below(await _whole(desk, top.root), top)
    by_id = {node.node_id: node for node in known}
    most = min(params.limit or ROWS_MOST, ROWS_MOST)
    ids, cursor = page_of(tuple(by_id), params.after, most)
    roots = roots or tuple(dict.fromkeys(by_id[name].root for name in ids))
    return await _answer(desk, tuple(by_id[name] for name in ids), roots, cursor)


async def _answer(
    desk: Desk, page: Sequence[Node], roots: Iterable[NodeId], cursor: NodeId | None
) -> LedgerAnswer:
    trees = [await _whole(desk, root) for root in roots]
    names = tuple(node.node_id for tree in trees for node in tree)
    accounts, lives = await desk.ledger.of(names), desk.ledger.lives
    rows: dict[NodeId, LedgerRow] = {}
    sums: list[LedgerSum] = []
    for tree in trees:
        root = next((node for node in tree if node.is_root), None)
        found = [ledger_row(node, root, accounts, lives) for node in tree if not node.is_root]
        rows.update((row.node_id, row) for row in found)
        if root is not None:
            sums.append(ledger_sum(root, found, accounts))
    shown = tuple(rows[node.node_id] for node in page)
    return LedgerAnswer(rows=shown, roots=tuple(sums), next=cursor)


async def _whole(desk: Desk, root: NodeId) -> Sequence[Node]:
    """Give a root and all below it, in the order of their ids, from memory or from the store."""
    nodes = desk.tree.nodes
    if root in nodes:
        return [nodes[name] for name in ids_below(desk.tree, root)]
    return sorted(await desk.store.tree_of(root), key=lambda node: node.node_id)


def _below(tree: Sequence[Node], top: Node) -> list[Node]:
    """Give the children in a tree that are a node or stand below it; older ones come first."""
    inside = {top.node_id}
    found = []
    for node in tree:
        if node.node_id in inside or node.parent in inside:
            inside.add(node.node_id)
            if not node.is_root:
                found.append(node)
    return found
