"""Mail and what becomes of it."""

from subsessiond.model.base import Value
from subsessiond.model.ids import MessageId, NodeId
from subsessiond.model.report import Stage


class MailItem(Value, frozen=True, kw_only=True):
    """One message, with the exact text its reader is shown."""

    message_id: MessageId
    seq: int
    source: str
    sender_session_id: NodeId | None = None
    stage: Stage | None = None
    again: bool
    """It was handed over before and never acknowledged."""
    text: str


class InboxAnswer(Value, frozen=True, kw_only=True):
    """Mail that is not acknowledged, oldest first."""

    messages: tuple[MailItem, ...]
    more: int
    """How many more wait; acknowledge these to read on."""
    estimated_tokens: int
    """Of the messages as compact JSON."""


class UnreadAnswer(Value, frozen=True, kw_only=True):
    """What keeps a parent from ending its turn."""

    count: int
    """Messages that were never handed to it, progress aside."""
    text: str
    """What its model is told of them; empty where it is told nothing."""


class ReportAnswer(Value, frozen=True, kw_only=True):
    """A report is durable."""

    message_id: MessageId
    text: str
    already: bool


class SteerAnswer(Value, frozen=True, kw_only=True):
    """A message was accepted; that is not yet read."""

    message_id: MessageId
    text: str


class ReceiptAnswer(Value, frozen=True, kw_only=True):
    """How far a message has come."""

    message_id: MessageId
    state: str
    """A `MessageState`, or `unknown` where its history was lost with an earlier store."""
