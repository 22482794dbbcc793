"""`subsession.receipt`: how far a message has come."""

from subsessiond.model.ids import MessageId, NodeId
from subsessiond.model.message import MessageState
from subsessiond.model.node import Node
from subsessiond.model.view import ReceiptAnswer
from subsessiond.rpc.call import Call
from subsessiond.rpc.desk import Desk, not_found
from subsessiond.wire.params import ReceiptParams

UNKNOWN = "unknown"


async def receipt(desk: Desk, call: Call, params: ReceiptParams) -> ReceiptAnswer:
    """Tell the state of a message that the caller, or one of its own children, is named in."""
    sender = _sender(desk, call, params.message_id)
    boxes = _mailboxes(desk, sender)
    state = _waiting_state(desk, boxes, params.message_id) or desk.changes.moved(params.message_id)
    if state is None:
        state = await desk.store.moved(boxes, params.message_id)
    if state is None and _is_acknowledged_final(sender, params.message_id):
        state = MessageState.ACKNOWLEDGED
    return ReceiptAnswer(message_id=params.message_id, state=state or UNKNOWN)


def _sender(desk: Desk, call: Call, message_id: MessageId) -> Node:
    """Find the node after which a message is named.

    A report is named after the child that sent it, a steer after the child it was sent to.
    """
    name, _, number = message_id.partition(".")
    node = desk.node(NodeId(name))
    own = (node.node_id, node.parent)
    if not call.caller.is_operator and call.caller.node_id not in own:
        raise not_found()
    if int(number) > node.messages:
        raise not_found()
    return node


def _mailboxes(desk: Desk, sender: Node) -> tuple[NodeId, ...]:
    """Name the mailboxes where it can lie: the child's, the parent's, those of its heirs."""
    boxes = [sender.node_id]
    above = desk.tree.nodes.get(sender.parent) if sender.parent is not None else None
    while above is not None:
        boxes.append(above.node_id)
        above = desk.tree.nodes.get(above.successor) if above.successor is not None else None
    return tuple(boxes)


def _waiting_state(
    desk: Desk, boxes: tuple[NodeId, ...], message_id: MessageId
) -> MessageState | None:
    for box in boxes:
        for message in desk.tree.mail.get(box, ()):
            if message.message_id == message_id:
                return message.state
    return None


def _is_acknowledged_final(sender: Node, message_id: MessageId) -> bool:
    """Tell whether this is a final: it leaves a mailbox in no other way."""
    return sender.settlement is not None and sender.settlement.message_id == message_id
