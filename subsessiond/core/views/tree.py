"""Pages of the tree, by id; and pages of what changed, by sequence number."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from subsessiond.model.ids import NodeId
from subsessiond.model.tree import Tree

ROWS_MOST: Final = 2_000
"""Rows of one page to the operator."""

CHILD_ROWS_MOST: Final = 25
"""Rows of one page to a node: 25 rows of 400 bytes stay below 4,000 estimated tokens."""

Change = tuple[int, NodeId]
"""A sequence number, and a node it changed."""


def page_of(
    ids: Sequence[NodeId], after: NodeId | None, limit: int
) -> tuple[tuple[NodeId, ...], NodeId | None]:
    """Cut one page out of sorted ids.

    Args:
        ids: In ascending order.
        after: The last id of the page before; it need not exist any more.
        limit: Most ids of this page, at least 1.

    Returns:
        The page, and the cursor of the next one when there is one.
    """
    start = 0 if after is None else bisect_right(ids, after)
    page = tuple(ids[start : start + limit])
    more = start + limit < len(ids)
    return page, page[-1] if more else None


def changes_page(changes: Sequence[Change], limit: int) -> tuple[tuple[NodeId, ...], int | None]:
    """Cut one page out of changes, oldest first; what one event changed is never parted.

    Returns:
        The nodes, and the number up to which they go when more is left.
    """
    if len(changes) <= limit:
        return tuple(node_id for _, node_id in changes), None
    end = limit
    while end > 0 and changes[end - 1][0] == changes[end][0]:
        end -= 1
    if end == 0:
        first = changes[0][0]
        end = next((i for i, (seq, _) in enumerate(changes) if seq != first), len(changes))
    return tuple(node_id for _, node_id in changes[:end]), changes[end - 1][0]


def ids_below(tree: Tree, root: NodeId) -> tuple[NodeId, ...]:
    """List a node and everything below it, in the order of their ids."""
    found: list[NodeId] = []
    waiting = [root]
    while waiting:
        node_id = waiting.pop()
        found.append(node_id)
        waiting.extend(tree.children.get(node_id, ()))
    return tuple(sorted(found))


def own_children(tree: Tree, parent: NodeId) -> tuple[NodeId, ...]:
    """List a node's own children, in the order of their ids."""
    return tuple(sorted(tree.children.get(parent, ())))
