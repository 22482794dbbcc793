"""The gates of succession: who may be succeeded, once, and how often."""

from subsessiond.core.case import SpawnCase
from subsessiond.model.node import Node
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.tree import Tree


def check_continues(case: SpawnCase) -> Rejection | None:
    """Let a child continue only what this parent may have continued."""
    brief = case.command.brief
    before = case.predecessor
    if before is None:
        wanted = brief is not None and brief.continues is not None
        return Rejection(code=Code.NOT_FOUND, step="continues") if wanted else None
    heir_parent = heir_parent_of(case.tree, before)
    if heir_parent is None or heir_parent.node_id != case.parent.node_id:
        return Rejection(code=Code.NOT_FOUND, step="continues")
    return check_predecessor(case.policy.limits.generations, before)


def check_predecessor(generations: int, before: Node) -> Rejection | None:
    """Refuse a predecessor that lives, has an heir, or was the last of its line."""
    if before.is_live or before.is_root:
        return Rejection(code=Code.PREDECESSOR_LIVE, step="predecessor", sibling=before.node_id)
    if before.successor is not None:
        return Rejection(
            code=Code.ALREADY_SUCCEEDED,
            step="predecessor",
            detail=before.successor,
            sibling=before.successor,
        )
    if before.generation >= generations:
        return Rejection(
            code=Code.GENERATIONS_EXCEEDED,
            step="generations",
            limit=generations,
            actual=before.generation + 1,
        )
    return None


def heir_parent_of(tree: Tree, before: Node) -> Node | None:
    """Find under whom a successor lives: the parent, its line's live end, or who lives above."""
    above = before.parent
    while above is not None:
        node: Node | None = tree.nodes.get(above)
        heir = node
        while heir is not None and not heir.is_live and heir.successor is not None:
            heir = tree.nodes.get(heir.successor)
        if heir is not None and heir.is_live:
            return heir
        above = node.parent if node is not None else None
    return None
