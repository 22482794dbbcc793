"""What is true of every tree, whatever happened. Tests check it after every step."""

from collections import Counter
from collections.abc import Iterator

from subsessiond.core.indexes import patterns_of
from subsessiond.core.lifecycle import InvariantViolationError
from subsessiond.core.scope import ClaimIndex
from subsessiond.core.tally import moved, share_of
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node, Status
from subsessiond.model.tree import Tree
from subsessiond.model.usage import Below


def check_tree(tree: Tree) -> None:
    """Check INV-1 to INV-11.

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
    yield from _claims(tree, children)
    for node in children:
        yield from _place(tree, node)
        yield from _line(tree, node)
    for node in nodes:
        yield from _stamps(node)
        yield from _budget(tree, node)
    yield from _mail(tree)
    yield from _measured(tree, nodes)


def _counts(tree: Tree, children: tuple[Node, ...]) -> Iterator[str]:
    """INV-1: every count is what counting gives."""
    live = tuple(node for node in children if node.is_live)
    if Counter(n.parent for n in live) != dict(tree.live_below.items()):
        yield "INV-1: live children of a parent are miscounted"
    if Counter(n.root for n in live) != dict(tree.live_in.items()):
        yield "INV-1: live nodes of a tree are miscounted"
    if len(live) != tree.live_total or sorted(tree.live) != [n.node_id for n in live]:
        yield "INV-1: live nodes are miscounted"
    if Counter(n.root for n in children) != dict(tree.spawned_in.items()):
        yield "INV-1: admissions of a tree are miscounted"
    if Counter(n.workspace for n in live if n.owns) != dict(tree.writers.items()):
        yield "INV-1: writers of a workspace are miscounted"
    lent: Counter[NodeId | None] = Counter()
    for node in live:
        lent[node.parent] += node.token_cap
    if lent != dict(tree.lent.items()):
        yield "INV-1: lent tokens are miscounted"


def _claims(tree: Tree, children: tuple[Node, ...]) -> Iterator[str]:
    """INV-8: exactly what is not released is claimed."""
    found: dict[str, ClaimIndex] = {}
    for node in children:
        if node.owns and node.status is not Status.RELEASED:
            index = found.get(node.workspace, ClaimIndex())
            found[node.workspace] = index.with_claim(node.node_id, patterns_of(node.owns))
    if found != dict(tree.claims.items()):
        yield "INV-8: the index holds other claims than the nodes do"


def _place(tree: Tree, node: Node) -> Iterator[str]:
    """INV-2: a live child has a live parent. INV-3: nothing is deeper than its parent lends."""
    assert node.parent is not None
    parent = tree.nodes[node.parent]
    if node.is_live and not parent.is_live:
        yield f"INV-2: {node.node_id} lives below {parent.node_id}, which has settled"
    if node.depth >= parent.depth:
        yield f"INV-3: {node.node_id} may grow as deep as its parent"
    if node.node_id not in tree.children.get(parent.node_id, ()):
        yield f"INV-3: {node.node_id} is not among the children of its parent"


def _line(tree: Tree, node: Node) -> Iterator[str]:
    """INV-9: a line of succession is told the same at both ends, and its older end has settled."""
    heir = tree.nodes.get(node.successor) if node.successor else None
    if node.successor is not None and (heir is None or heir.predecessor != node.node_id):
        yield f"INV-9: {node.node_id} has a successor that does not continue it"
    if node.successor is not None and node.is_live:
        yield f"INV-9: {node.node_id} lives and has a successor"


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


def _mail(tree: Tree) -> Iterator[str]:
    """INV-10: mail lies with a node that is there, and each message in one place."""
    for recipient in sorted(tree.mail):
        box = tree.mail[recipient]
        names = frozenset(message.message_id for message in box)
        lost = recipient not in tree.nodes or not box or len(names) != len(box)
        if lost or any(message.recipient != recipient for message in box):
            yield f"INV-10: the mailbox of {recipient} is not in order"


def _measured(tree: Tree, nodes: tuple[Node, ...]) -> Iterator[str]:
    """INV-11: what is measured below a node is what the nodes below it say, each counted once."""
    found: dict[NodeId, Below] = {}
    for node in nodes:
        share, above = share_of(node), node.parent
        while above is not None and share != Below():
            found[above] = moved(found.get(above, Below()), Below(), share)
            above = tree.nodes[above].parent
    for node in nodes:
        if node.below != found.get(node.node_id, Below()):
            yield f"INV-11: what is measured below {node.node_id} is not what the nodes there say"
