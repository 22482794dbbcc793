"""Roots that nobody needs any more: closed when long idle, forgotten when long closed."""

from subsessiond.core.cancel import close_root
from subsessiond.core.draft import Draft
from subsessiond.model.events import TreeForgotten
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node


def tend_roots(draft: Draft) -> None:
    """Close roots that were idle for days, and let go of those closed a while ago."""
    for root_id in sorted(draft.tree.roots):
        root = draft.node(root_id)
        if root.is_live and not root.stopping:
            if _is_idle(draft, root):
                close_root(draft, root)
        elif _is_long_closed(draft, root):
            draft.add(TreeForgotten, root_id)


def _is_idle(draft: Draft, root: Node) -> bool:
    since = root.last_sign_ms or root.claimed_at_ms
    if draft.at_ms - since <= draft.policy.limits.root_idle_ms:
        return False
    return not draft.tree.live_in.get(root.node_id) and not _has_mail(draft, root.node_id)


def _has_mail(draft: Draft, root_id: NodeId) -> bool:
    return bool(draft.tree.mail.get(root_id))


def _is_long_closed(draft: Draft, root: Node) -> bool:
    at = root.released_at_ms
    return at is not None and draft.at_ms - at > draft.policy.limits.root_kept_ms
