"""What stands in a mailbox."""

from enum import StrEnum

from subsessiond.model.base import Value
from subsessiond.model.ids import MessageId, NodeId
from subsessiond.model.report import Stage
from subsessiond.model.role import Delivery


class Source(StrEnum):
    """Who wrote a message. The runtime's words are never credited to a child."""

    REPORT = "subagent-report"
    SETTLED = "subagent-settled"
    STEER = "steer"
    NOTICE = "notice"


class MessageState(StrEnum):
    """How far a message has come."""

    STAGED = "staged"
    DELIVERED = "delivered"
    ACKNOWLEDGED = "acknowledged"
    SUPERSEDED = "superseded"
    UNDELIVERABLE = "undeliverable"


class Message(Value, frozen=True, kw_only=True):
    """One message in a node's mailbox, with the exact text its reader is shown."""

    message_id: MessageId
    recipient: NodeId
    sender: NodeId | None
    """The node it speaks of; none when a person wrote it."""
    source: Source
    text: str
    delivery: Delivery = Delivery.NEXT_STEP
    stage: Stage | None = None
    state: MessageState = MessageState.STAGED
    again: bool = False
    """It was handed over before, and nobody knows whether it was read."""
    seq: int = 0
    at_ms: int = 0
