"""Roots that nobody needs any more: closed when long idle, forgotten when long closed."""

from subsessiond.core.cancel import close_root
from subsessiond.core.draft import Draft
from subsessiond.model.events import SignSeen, TreeForgotten
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node
from subsessiond.model.policy import Policy
from subsessiond.model.tree import Tree


def tend_roots(draft: Draft, attended: tuple[NodeId, ...] = ()) -> None:
    """Close roots that were idle for days, and let go of those closed a while ago.

    Where the agent still runs, the week begins anew: only who has left can stay away.
    """
    for root_id in sorted(draft.tree.roots):
        root = draft.node(root_id)
        if root.is_live and not root.stopping:
            if not _is_idle(draft.tree, draft.policy, root, draft.at_ms):
                continue
            if root_id in attended:
                draft.add(SignSeen, root_id, sign="agent")
            else:
                close_root(draft, root)
        elif _is_long_closed(draft, root):
            draft.add(TreeForgotten, root_id)


def idle_roots(tree: Tree, policy: Policy, at_ms: int) -> tuple[Node, ...]:
    """List the roots that a sweep would close if no agent of theirs still ran."""
    live = (tree.nodes[root_id] for root_id, is_live in sorted(tree.roots.items()) if is_live)
    return tuple(root for root in live if _is_idle(tree, policy, root, at_ms))


def _is_idle(tree: Tree, policy: Policy, root: Node, at_ms: int) -> bool:
    since = root.last_sign_ms or root.claimed_at_ms
    if at_ms - since <= policy.limits.root_idle_ms:
        return False
    return not tree.live_in.get(root.node_id) and not tree.mail.get(root.node_id)


def _is_long_closed(draft: Draft, root: Node) -> bool:
    at = root.released_at_ms
    return at is not None and draft.at_ms - at > draft.policy.limits.root_kept_ms
