"""What was said to a running child rides on the answer of its next call.

Why: most agents cannot take a prompt in a running turn, and some end the turn over it. An answer
they read in any case.
"""

from typing import Final

from subsessiond.core.bounds import bytes_of_tokens, size_bytes
from subsessiond.model.commands import MarkDelivered
from subsessiond.model.message import Message, MessageState, Source
from subsessiond.rpc.call import Call
from subsessiond.rpc.desk import Desk

FRAME_BYTES: Final = 200
"""What stands around one message: one of the largest always fits."""


def riding_mail(desk: Desk, call: Call) -> tuple[str, ...]:
    """Take what the caller has not read yet out of its mailbox, oldest first, bounded.

    Why marked before it is sent: nothing tells when a model has read, and the same words again at
    the end of the turn would be an order given twice.
    """
    node_id = call.caller.node_id
    if node_id is None:
        return ()
    room = bytes_of_tokens(desk.limits.steer_tokens) + FRAME_BYTES
    taken: list[Message] = []
    for message in desk.tree.mail.get(node_id, ()):
        if not _is_unread(message) or message.message_id in desk.changes.handed:
            continue
        room -= size_bytes(message.text)
        if room < 0:
            break
        taken.append(message)
    if taken:
        ids = tuple(message.message_id for message in taken)
        desk.changes.handed.update(ids)
        desk.registry.tell(MarkDelivered(node=node_id, message_ids=ids, read=True, **desk.stamps()))
    return tuple(message.text for message in taken)


def _is_unread(message: Message) -> bool:
    return message.source is Source.STEER and message.state is MessageState.STAGED
