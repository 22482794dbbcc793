"""Counts and indexes beside the nodes: `put` keeps every one of them true."""

from typing import TypeVar

from immutables import Map
from msgspec.structs import replace

from subsessiond.core.scope import ClaimIndex, Pattern
from subsessiond.core.tally import moved, share_of
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node, Status
from subsessiond.model.tree import Tree
from subsessiond.model.usage import Below

K = TypeVar("K")


def put(tree: Tree, node: Node) -> Tree:
    """Set a node and bring all counts and indexes along."""
    old = tree.nodes.get(node.node_id)
    tree = replace(tree, nodes=tree.nodes.set(node.node_id, node))
    if node.parent is None:
        return replace(tree, roots=tree.roots.set(node.node_id, node.is_live))
    if old is None:
        tree = _add_child(tree, node)
    was_live, is_live = old is not None and old.is_live, node.is_live
    if was_live != is_live:
        tree = _count(tree, node, 1 if is_live else -1)
    elif is_live and old is not None and old.token_cap != node.token_cap:
        tree = replace(tree, lent=_add(tree.lent, node.parent, node.token_cap - old.token_cap))
    if old is None or old.status is not node.status:
        tree = _claim(tree, node, held=old is not None and old.status is not Status.RELEASED)
    return _tell_above(tree, old, node)


def restore(tree: Tree, node: Node) -> Tree:
    """Add a node read back from the store; parents come before children.

    The pace of admissions is not restored: it is measured on the awake clock, which begins anew
    with every life of the daemon. What was measured below a node is counted anew: what was written
    of it may hold figures that a node below had no time to write.
    """
    return put(tree, node if node.below == Below() else replace(node, below=Below()))


def claims_in(tree: Tree, workspace: str) -> ClaimIndex:
    """Give the index of unreleased claims of a workspace."""
    index = tree.claims.get(workspace)
    return index if isinstance(index, ClaimIndex) else ClaimIndex()


def patterns_of(owns: tuple[str, ...]) -> tuple[Pattern, ...]:
    """Read normal forms back as patterns; what was admitted is normal already."""
    return tuple(Pattern(text=text) for text in owns)


def _tell_above(tree: Tree, old: Node | None, node: Node) -> Tree:
    """Bring what is measured below every ancestor along (INV-11)."""
    before, now = share_of(old), share_of(node)
    above = node.parent if before != now else None
    while above is not None:
        ancestor = tree.nodes[above]
        counted = replace(ancestor, below=moved(ancestor.below, before, now))
        tree = replace(tree, nodes=tree.nodes.set(above, counted))
        above = ancestor.parent
    return tree


def _add_child(tree: Tree, node: Node) -> Tree:
    assert node.parent is not None
    siblings = (*tree.children.get(node.parent, ()), node.node_id)
    spawned = tree.spawned_in.get(node.root, 0) + 1
    return replace(
        tree,
        children=tree.children.set(node.parent, siblings),
        spawned_in=tree.spawned_in.set(node.root, spawned),
    )


def _count(tree: Tree, node: Node, step: int) -> Tree:
    assert node.parent is not None
    return replace(
        tree,
        live=_mark(tree.live, node.node_id, present=step > 0),
        live_below=_add(tree.live_below, node.parent, step),
        live_in=_add(tree.live_in, node.root, step),
        live_total=tree.live_total + step,
        lent=_add(tree.lent, node.parent, step * node.token_cap),
        writers=_add(tree.writers, node.workspace, step) if node.owns else tree.writers,
    )


def _add(counts: Map[K, int], key: K, step: int) -> Map[K, int]:
    left = counts.get(key, 0) + step
    return counts.set(key, left) if left else counts.delete(key)


def _mark(live: Map[NodeId, bool], node_id: NodeId, *, present: bool) -> Map[NodeId, bool]:
    return live.set(node_id, present) if present else live.delete(node_id)


def _claim(tree: Tree, node: Node, *, held: bool) -> Tree:
    if not node.owns:
        return tree
    index = claims_in(tree, node.workspace)
    if node.status is Status.RELEASED:
        if not held:
            return tree
        index = index.without(node.node_id, patterns_of(node.owns))
    elif not held:
        index = index.with_claim(node.node_id, patterns_of(node.owns))
    else:
        return tree
    if index == ClaimIndex():
        return replace(tree, claims=tree.claims.delete(node.workspace))
    return replace(tree, claims=tree.claims.set(node.workspace, index))
