"""What is true of every tree, whatever happened. Tests check it after every step."""

from collections import Counter
from collections.abc import Iterator

from subsessiond.core.lifecycle import InvariantViolationError
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node, Status
from subsessiond.model.tree import Tree


def check_tree(tree: Tree) -> None:
    """Check INV-1 to INV-7.

    Raises:
        InvariantViolationError: names the invariant and the node.
    """
    for problem in violations(tree):
        raise InvariantViolationError(problem)


def violations(tree: Tree) -> Iterator[str]:
    """Yield a sentence for each invariant that is broken, in order of node id."""
    nodes = tuple(tree.nodes[key] for key in sorted(tree.nodes))
    children = tuple(node for node in nodes if node.parent is not None)
    yield from _counts(tree, children)
    for node in children:
        yield from _place(tree, node)
        yield from _stamps(node)
    for parent in nodes:
        yield from _budget(tree, parent)


def _counts(tree: Tree, children: tuple[Node, ...]) -> Iterator[str]:
    """INV-1: every count is what counting gives."""
    live = tuple(node for node in children if node.is_live)
    if dict(Counter(n.parent for n in live)) != dict(tree.live_below.items()):
        yield "INV-1: live children of a parent are miscounted"
    if dict(Counter(n.root for n in live)) != dict(tree.live_in.items()):
        yield "INV-1: live nodes of a tree are miscounted"
    if len(live) != tree.live_total or sorted(tree.live) != [n.node_id for n in live]:
        yield "INV-1: live nodes are miscounted"
    lent: Counter[NodeId | None] = Counter()
    for node in live:
        lent[node.parent] += node.token_cap
    if dict(lent) != dict(tree.lent.items()):
        yield "INV-1: lent tokens are miscounted"


def _place(tree: Tree, node: Node) -> Iterator[str]:
    """INV-2: a live child has a live parent. INV-3: nothing is deeper than its parent lends."""
    assert node.parent is not None
    parent = tree.nodes[node.parent]
    if node.is_live and not parent.is_live:
        yield f"INV-2: {node.node_id} lives below {parent.node_id}, which has settled"
    if node.depth >= parent.depth:
        yield f"INV-3: {node.node_id} may grow as deep as its parent"


def _budget(tree: Tree, parent: Node) -> Iterator[str]:
    """INV-4: caps of live children fit into the parent's."""
    if tree.lent.get(parent.node_id, 0) > max(0, parent.token_cap - parent.reserve_tokens):
        yield f"INV-4: {parent.node_id} has lent more tokens than it has"


def _stamps(node: Node) -> Iterator[str]:
    """INV-5: one terminal record exactly from settling on. INV-6: stamps follow the status."""
    ended = node.status in (Status.SETTLED, Status.RELEASED)
    if ended != (node.settlement is not None) or ended != (node.settled_at_ms is not None):
        yield f"INV-5: {node.node_id} is {node.status} but its record says otherwise"
    if (node.status is Status.RELEASED) != (node.released_at_ms is not None):
        yield f"INV-6: {node.node_id} is {node.status} but its release stamp says otherwise"
    if node.leftovers and node.status is not Status.SETTLED:
        yield f"INV-7: {node.node_id} has leftovers but is {node.status}"
