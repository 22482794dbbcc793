"""`dismiss`: the operator takes a row out of the blocked queue."""

from subsessiond.core.draft import Draft
from subsessiond.core.rights import refuse_non_operator
from subsessiond.core.unread import left_unread
from subsessiond.model.commands import Dismiss
from subsessiond.model.decision import Accepted, Decided
from subsessiond.model.events import Dismissed
from subsessiond.model.policy import Policy
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.report import Outcome
from subsessiond.model.tree import Tree


def decide_dismiss(tree: Tree, policy: Policy, command: Dismiss) -> Decided | Rejection:
    """Mark a node of the queue as seen to; nothing else about it changes."""
    if rejection := refuse_non_operator(command.caller):
        return rejection
    node = tree.nodes.get(command.node)
    said = node.settlement if node is not None else None
    blocked = said is not None and said.outcome is Outcome.BLOCKED
    if node is None or not (blocked or left_unread(tree, node)):
        return Rejection(code=Code.NOT_FOUND, step="node", detail="it is not in the blocked queue")
    draft = Draft(tree, policy, command)
    if node.dismissed:
        return draft.done(Accepted(text="dismissed before", already=True))
    draft.add(Dismissed, node.node_id)
    return draft.done(Accepted(text="dismissed"))
