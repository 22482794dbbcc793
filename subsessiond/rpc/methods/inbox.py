"""`subsession.inbox`: a mailbox, read by its owner or looked at by the operator."""

from typing import Literal

from subsessiond.core.views.mail import has_news, inbox_page
from subsessiond.model.commands import Acknowledge, MarkDelivered
from subsessiond.model.decision import Moved
from subsessiond.model.ids import MessageId, NodeId
from subsessiond.model.message import Message, MessageState
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.tree import Tree
from subsessiond.model.view import InboxAnswer
from subsessiond.rpc.call import Call
from subsessiond.rpc.desk import Desk, not_found
from subsessiond.rpc.refused import Refused
from subsessiond.wire.params import InboxParams


async def inbox(desk: Desk, call: Call, params: InboxParams) -> InboxAnswer:
    """Acknowledge, then wait for news, then show what is unacknowledged, oldest first."""
    reader = _reader(desk, call, params.node_id)
    if params.acknowledge is not None:
        await _acknowledge(desk, call, reader, params.acknowledge)
    if params.wait_ms:

        def came(tree: Tree) -> bool:
            return has_news(tree.mail.get(reader, ()), desk.changes.handed)

        await desk.waiting.until(frozenset({reader}), came, params.wait_ms)
    box = desk.tree.mail.get(reader, ())
    most = desk.limits.wake_tokens
    limit = min(params.max_tokens or most, most)
    answer = inbox_page(box, limit, desk.changes.handed)
    if not call.caller.is_operator:
        shown = frozenset(item.message_id for item in answer.messages)
        await _mark_delivered(desk, reader, tuple(m for m in box if m.message_id in shown))
    return answer


def _reader(desk: Desk, call: Call, node_id: NodeId | None) -> NodeId:
    own = call.caller.node_id
    if own is not None:
        if node_id not in (None, own):
            raise not_found()
        return own
    if node_id is None:
        detail = "the operator has no mailbox: say whose (nodeId)"
        raise Refused(Rejection(code=Code.NOT_FOUND, step="node", detail=detail))
    return desk.node(node_id).node_id


async def _acknowledge(
    desk: Desk, call: Call, reader: NodeId, given: tuple[MessageId, ...] | Literal[True]
) -> None:
    if given is True:
        box = desk.tree.mail.get(reader, ())
        known = desk.changes.handed
        delivered = MessageState.DELIVERED
        ids = tuple(m.message_id for m in box if m.state is delivered or m.message_id in known)
    else:
        ids = given
    command = Acknowledge(node=reader, message_ids=ids, caller=call.caller, **desk.stamps())
    await desk.ask(command, Moved)


async def _mark_delivered(desk: Desk, reader: NodeId, shown: tuple[Message, ...]) -> None:
    """Note that the reader was handed these: should it never say so, they come again, marked.

    Why before they are shown: after a crash between the two none of them looks like a new one. With
    a full disk they are shown all the same, and marked as long as this daemon lives.

    Raises:
        Refused: BUSY - the daemon is about to end, and could not note it any more.
    """
    known = desk.changes.handed
    staged = (m.message_id for m in shown if m.state is MessageState.STAGED)
    fresh = tuple(message_id for message_id in staged if message_id not in known)
    if fresh:
        known.update(fresh)
        command = MarkDelivered(node=reader, message_ids=fresh, **desk.stamps())
        noted = await desk.registry.ask(command)
        if isinstance(noted, Rejection) and noted.code is Code.BUSY:
            raise Refused(noted)
