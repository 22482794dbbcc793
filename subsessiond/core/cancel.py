"""`cancel` and `close`: stop a subtree, whole, even across a restart."""

from subsessiond.core.draft import Draft
from subsessiond.core.lifecycle import runs_on
from subsessiond.core.rights import is_below, refuse_non_operator
from subsessiond.core.settle import settle_by_runtime
from subsessiond.model.commands import Cancel, CloseRoot
from subsessiond.model.decision import Decided, Stopping
from subsessiond.model.events import CancelRequested, NodeReleased
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node, Status
from subsessiond.model.policy import Policy
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.report import Outcome
from subsessiond.model.tree import Tree


def decide_cancel(tree: Tree, policy: Policy, command: Cancel) -> Decided | Rejection:
    """Settle a child as cancelled and all below it as orphaned.

    A settled one stays as it is, but nothing there runs on any longer after its final.
    """
    node = tree.nodes.get(command.node)
    if node is None or not is_below(command.caller, node):
        return Rejection(code=Code.NOT_FOUND, step="caller")
    draft = Draft(tree, policy, command)
    if node.is_root:
        return _close(draft, node)
    stops = unreleased_below(tree, node.node_id)
    if not node.is_live:
        if not node.stopping and any(runs_on(tree.nodes[name]) for name in stops):
            draft.add(CancelRequested, node.node_id)
        return draft.done(Stopping(nodes=stops, already=True))
    reason = "cancelled-by-operator" if command.caller.is_operator else "cancelled-by-parent"
    draft.add(CancelRequested, node.node_id)
    settle_by_runtime(draft, node.node_id, Outcome.CANCELLED, reason)
    return draft.done(Stopping(nodes=stops))


def decide_close(tree: Tree, policy: Policy, command: CloseRoot) -> Decided | Rejection:
    """End a root: its children are stopped first, then it settles by itself."""
    if rejection := refuse_non_operator(command.caller):
        return rejection
    node = tree.nodes.get(command.node)
    if node is None or not node.is_root:
        return Rejection(code=Code.NOT_FOUND, step="node", detail="only roots are closed")
    return _close(Draft(tree, policy, command), node)


def _close(draft: Draft, root: Node) -> Decided:
    stops = unreleased_below(draft.tree, root.node_id)
    if not root.is_live or root.stopping:
        return draft.done(Stopping(nodes=stops, already=True))
    close_root(draft, root)
    return draft.done(Stopping(nodes=stops))


def close_root(draft: Draft, root: Node) -> None:
    """Stop everything below a live root; it settles when the last of it is gone."""
    draft.add(CancelRequested, root.node_id)
    for child in draft.tree.children.get(root.node_id, ()):
        if draft.node(child).is_live:
            settle_by_runtime(draft, child, Outcome.CANCELLED, "root-closed")
    finish_closing(draft, root.node_id)


def finish_closing(draft: Draft, root_id: NodeId) -> None:
    """Settle and release a closing root once nothing below it has a process left."""
    root = draft.tree.nodes.get(root_id)
    if root is None or not root.stopping or not root.is_live:
        return
    if len(unreleased_below(draft.tree, root_id)) > 1:
        return
    settle_by_runtime(draft, root_id, Outcome.COMPLETED, "closed")
    draft.add(NodeReleased, root_id)


def unreleased_below(tree: Tree, node_id: NodeId) -> tuple[NodeId, ...]:
    """List a node and all below it that are not released, parents before children."""
    found = [] if tree.nodes[node_id].status is Status.RELEASED else [node_id]
    for child in tree.children.get(node_id, ()):
        found.extend(unreleased_below(tree, child))
    return tuple(found)
