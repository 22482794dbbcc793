"""How a claim ends: the processes are gone, or the operator takes it on herself."""

from subsessiond.core.cancel import finish_closing
from subsessiond.core.draft import Draft
from subsessiond.core.rights import refuse_non_granting
from subsessiond.model.commands import ConfirmGone, Release
from subsessiond.model.decision import Accepted, Decided
from subsessiond.model.events import LeftoversFound, NodeReleased
from subsessiond.model.node import Status
from subsessiond.model.policy import Policy
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.tree import Tree


def decide_gone(tree: Tree, policy: Policy, command: ConfirmGone) -> Decided | Rejection:
    """Release a settled node whose processes are gone, or record what is left of them."""
    node = tree.nodes.get(command.node)
    draft = Draft(tree, policy, command)
    if node is None or node.status is not Status.SETTLED:
        return draft.done()
    if node.leftovers and not command.leftovers and not command.watched:
        # Why: whoever finds nothing now did not look at what was found before.
        return draft.done()
    release_or_record(draft, command)
    finish_closing(draft, node.root)
    return draft.done()


def release_or_record(draft: Draft, command: ConfirmGone) -> None:
    """Release, unless something cannot be proven gone; what is known already is not told again."""
    if command.leftovers and command.leftovers == draft.node(command.node).leftovers:
        return
    if command.leftovers:
        draft.add(LeftoversFound, command.node, leftovers=command.leftovers, forced=command.forced)
    else:
        draft.add(NodeReleased, command.node, forced=command.forced)


def decide_release(tree: Tree, policy: Policy, command: Release) -> Decided | Rejection:
    """Free the claim of a node with leftovers, on the operator's word."""
    if rejection := refuse_non_granting(command.caller):
        return rejection
    node = tree.nodes.get(command.node)
    if node is None:
        return Rejection(code=Code.NOT_FOUND, step="node")
    draft = Draft(tree, policy, command)
    if node.status is Status.RELEASED:
        return draft.done(Accepted(text="released before", already=True))
    if not node.leftovers:
        detail = "it has no leftovers; it is released by itself when its processes are gone"
        return Rejection(code=Code.NOT_ALLOWED, step="leftovers", detail=detail)
    draft.add(NodeReleased, node.node_id, by_operator=True)
    finish_closing(draft, node.root)
    return draft.done(Accepted(text="released"))
