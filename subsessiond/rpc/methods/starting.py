"""The answer to a hire: at admission, or when the child runs or has failed to start."""

from subsessiond.core.bounds import cut_bytes
from subsessiond.core.views.answers import bounded_words
from subsessiond.model.decision import Admitted, Reply
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node, Status
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.tree import Tree
from subsessiond.model.view import SpawnAnswer
from subsessiond.rpc.call import Call
from subsessiond.rpc.desk import Desk
from subsessiond.rpc.refused import Refused

START_FAILED = "start-failed"
WHY_BYTES = 600
"""Words of a failed start to a node; the operator is given the whole diagnostic."""


async def started(
    desk: Desk, call: Call, reply: Reply | Rejection | None, wait_ms: int | None
) -> SpawnAnswer:
    """Answer an admission, after waiting for the start where that was asked for.

    Raises:
        Refused: the registry refused, or START_FAILED - the child settled without having started.
    """
    if isinstance(reply, Rejection):
        raise Refused(reply)
    if not isinstance(reply, Admitted):
        raise TypeError(f"a hire was answered by {type(reply).__name__}")
    state = reply.state
    if wait_ms and not reply.would_admit:
        node = await _settled_start(desk, reply.node_id, wait_ms)
        if node is not None:
            _check_started(call, node)
            state = node.status
    operator = call.caller.is_operator
    return SpawnAnswer(
        node_id=reply.node_id,
        state=state,
        claimed_at=reply.claimed_at,
        warnings=reply.warnings if operator else bounded_words(reply.warnings, desk.limits),
        would_admit=reply.would_admit,
    )


async def _settled_start(desk: Desk, node_id: NodeId, wait_ms: int) -> Node | None:
    def over(tree: Tree) -> bool:
        node = tree.nodes.get(node_id)
        return node is None or node.status is not Status.CLAIMED

    await desk.waiting.until(frozenset({node_id}), over, wait_ms)
    return desk.tree.nodes.get(node_id)


def _check_started(call: Call, node: Node) -> None:
    said = node.settlement
    if said is None or said.reason != START_FAILED:
        return
    words = (said.diagnostic if call.caller.is_operator else None) or said.output
    limit = len(words.encode()) if call.caller.is_operator else WHY_BYTES
    raise Refused(
        Rejection(
            code=Code.START_FAILED,
            step="start",
            detail=cut_bytes(words, limit),
            sibling=node.node_id,
        ),
    )
