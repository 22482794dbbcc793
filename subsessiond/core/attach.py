"""`attach`: a process that somebody else started joins the tree as the child that waits for it."""

from typing import Final

from subsessiond.core.draft import Draft
from subsessiond.core.rights import refuse_non_operator
from subsessiond.model.commands import Attach, Caller
from subsessiond.model.decision import Accepted, Decided
from subsessiond.model.events import ProcessNoted
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node, Status
from subsessiond.model.policy import Policy
from subsessiond.model.process import Identity
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.tree import Tree

EXTERNAL: Final = "external"
"""The runner of agents that somebody else runs."""


def awaits_attach(node: Node) -> bool:
    """Tell whether a node waits for a process that somebody else starts."""
    return node.runner == EXTERNAL and node.status is Status.CLAIMED and node.identity is None


def decide_attach(tree: Tree, policy: Policy, command: Attach) -> Decided | Rejection:
    """Record the one process that is this child; the same one again gets its first answer.

    Why only recorded: its runner looks whether it is still there, and lets it run (law 3: a record
    that is durable is never taken by a second one).
    """
    draft = Draft(tree, policy, command)
    node = tree.nodes.get(command.node)
    rejection = refuse_attach(tree, command.caller, command.node)
    if rejection is not None:
        again = node is not None and node.is_live and _is_same(node.identity, command.identity)
        if again and rejection.code is Code.ALREADY_ATTACHED:
            return draft.done(Accepted(text="attached before", already=True))
        return rejection
    if _is_taken(tree, command.identity):
        detail = "this process is the agent of another node"
        return Rejection(code=Code.NOT_ALLOWED, step="process", detail=detail)
    draft.add(ProcessNoted, command.node, identity=command.identity)
    return draft.done(Accepted(text="attached"))


def refuse_attach(tree: Tree, caller: Caller, node_id: NodeId) -> Rejection | None:
    """Say why a caller's process cannot become this node; none when it can.

    The operator names any node that waits; whoever calls as a node can only be that one.
    """
    node = tree.nodes.get(node_id)
    if node is None or node.is_root or caller.node_id not in (None, node_id, node.parent):
        return Rejection(code=Code.NOT_FOUND, step="node")
    if caller.node_id == node.parent:
        return refuse_non_operator(caller)
    if node.runner != EXTERNAL:
        detail = f"agent {node.agent} is started by the daemon; nobody else can be it"
        return Rejection(code=Code.NOT_ALLOWED, step="runner", detail=detail)
    return _refuse_now(tree, node)


def _refuse_now(tree: Tree, node: Node) -> Rejection | None:
    """Say why a node takes no process at this moment, or not any more."""
    if not node.is_live:
        detail = "it has settled; succeed continues its work"
        return Rejection(code=Code.NODE_NOT_LIVE, step="live", detail=detail)
    if node.identity is not None:
        return Rejection(code=Code.ALREADY_ATTACHED, step="attached")
    before = tree.nodes.get(node.predecessor) if node.predecessor else None
    if before is not None and before.status is not Status.RELEASED:
        detail = f"it starts when {before.node_id}, which it continues, is released"
        return Rejection(code=Code.NOT_ALLOWED, step="predecessor", detail=detail)
    return None


def _is_same(known: Identity | None, given: Identity) -> bool:
    """Tell whether two records are of one process."""
    return known is not None and known.process == given.process


def _is_taken(tree: Tree, given: Identity) -> bool:
    """Tell whether a process is some node's already.

    Why looked for though its calls would come as that node: of two calls that were made at the same
    moment both still came from nobody.
    """
    held = (node for node in tree.nodes.values() if node.status is not Status.RELEASED)
    return any(_is_same(node.identity, given) for node in held)
