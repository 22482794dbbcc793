"""`subsession.cancel` and `subsession.close`: stop a subtree, and answer when it is gone."""

from subsessiond.core.views.answers import bounded_cancel, stopped
from subsessiond.model.commands import Cancel, CloseRoot
from subsessiond.model.decision import Stopping
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Status
from subsessiond.model.tree import Tree
from subsessiond.model.view import CancelAnswer
from subsessiond.rpc.call import Call
from subsessiond.rpc.desk import Desk
from subsessiond.rpc.rights import require_operator
from subsessiond.wire.params import CancelParams, NodeParams

WAIT_MS = 50_000
"""Longer than every ladder; as long as any call may wait."""


async def cancel(desk: Desk, call: Call, params: CancelParams) -> CancelAnswer:
    """Stop a child, or for the operator any node, and everything below it."""
    command = Cancel(node=params.node_id, caller=call.caller, **desk.stamps())
    wait_ms = WAIT_MS if params.wait_ms is None else params.wait_ms
    return await _stopped(desk, call, command, wait_ms)


async def close(desk: Desk, call: Call, params: NodeParams) -> CancelAnswer:
    """End a root and everything below it."""
    require_operator(call)
    command = CloseRoot(node=params.node_id, caller=call.caller, **desk.stamps())
    return await _stopped(desk, call, command, WAIT_MS)


async def _stopped(
    desk: Desk, call: Call, command: Cancel | CloseRoot, wait_ms: int
) -> CancelAnswer:
    reply = await desk.ask(command, Stopping)
    # A settled node that is gone already is answered too: the caller asked about it.
    ids = reply.nodes or (command.node,)

    def over(tree: Tree) -> bool:
        return all(_is_over(tree, node_id) for node_id in ids)

    await desk.waiting.until(frozenset(ids), over, wait_ms)
    answer = CancelAnswer(nodes=stopped(desk.tree, ids), already=reply.already)
    return answer if call.caller.is_operator else bounded_cancel(answer, desk.limits)


def _is_over(tree: Tree, node_id: NodeId) -> bool:
    """Tell whether a node is gone, or waits for the operator because it cannot be shown to be.

    A root that is closed while something below it waits for the operator waits with it.
    """
    node = tree.nodes.get(node_id)
    if node is None or node.status is Status.RELEASED or node.leftovers:
        return True
    return node.is_root and any(
        _waits_for_operator(tree, child) for child in tree.children.get(node_id, ())
    )


def _waits_for_operator(tree: Tree, node_id: NodeId) -> bool:
    node = tree.nodes[node_id]
    below = tree.children.get(node_id, ())
    return bool(node.leftovers) or any(_waits_for_operator(tree, child) for child in below)
