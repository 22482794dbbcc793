"""A mailbox as its reader is shown it: oldest first, bounded, one message always fits."""

from collections.abc import Container
from typing import Final

from subsessiond.core.bounds import bytes_of_tokens, estimated_tokens
from subsessiond.core.views.measure import json_bytes
from subsessiond.model.ids import MessageId
from subsessiond.model.message import Message, MessageState
from subsessiond.model.role import Delivery
from subsessiond.model.view import InboxAnswer, MailItem

FRAME_BYTES: Final = 100
"""The answer around the messages, with the largest of numbers."""


def is_waiting(message: Message) -> bool:
    """Tell whether a message has not been acknowledged and still counts."""
    return message.state in (MessageState.STAGED, MessageState.DELIVERED)


def has_news(box: tuple[Message, ...], handed: Container[MessageId] = ()) -> bool:
    """Tell whether a mailbox holds a message that was never handed over."""
    return any(
        message.state is MessageState.STAGED and message.message_id not in handed for message in box
    )


def unread(box: tuple[Message, ...], handed: Container[MessageId] = ()) -> tuple[MessageId, ...]:
    """Name the messages that were never handed over and are worth a step of their reader's.

    Progress is not: it comes along with the next that is.
    """
    return tuple(
        message.message_id
        for message in box
        if has_news((message,), handed) and message.delivery is Delivery.NEXT_STEP
    )


def inbox_page(
    box: tuple[Message, ...], limit_tokens: int, handed: Container[MessageId] = ()
) -> InboxAnswer:
    """Show mail from the oldest on, up to a bound that the first message alone may pass.

    Args:
        box: All messages of the mailbox, oldest first.
        limit_tokens: Bound of the answer, in estimated tokens of its JSON.
        handed: Messages handed over before, which the tree does not know yet.
    """
    waiting = tuple(message for message in box if is_waiting(message))
    room = bytes_of_tokens(limit_tokens) - FRAME_BYTES
    shown: list[MailItem] = []
    total = 0
    for message in waiting:
        item = mail_item(message, again=message.message_id in handed)
        size = json_bytes(item) + 1
        if shown and total + size > room:
            break
        shown.append(item)
        total += size
    more = len(waiting) - len(shown)
    tokens = estimated_tokens(total)
    return InboxAnswer(messages=tuple(shown), more=more, estimated_tokens=tokens)


def mail_item(message: Message, *, again: bool = False) -> MailItem:
    """Show one message, its text exactly as it was framed."""
    return MailItem(
        message_id=message.message_id,
        seq=message.seq,
        source=message.source,
        sender_session_id=message.sender,
        stage=message.stage,
        again=again or message.again or message.state is MessageState.DELIVERED,
        text=message.text,
    )
