"""What the core asks of the world, once the events that ask for it are durable."""

from typing import Any

from subsessiond.model.base import Tagged
from subsessiond.model.ids import MessageId, NodeId


class Effect(Tagged, frozen=True, kw_only=True):
    """A request about one node."""

    node: NodeId


class StartChild(Effect, frozen=True, kw_only=True):
    """Start the node's agent, exactly once."""


class StopChild(Effect, frozen=True, kw_only=True):
    """End the node's agent and everything it started, then say it is gone.

    Asked again without time to run on, it hurries a stop that is under way.
    """

    after_ms: int = 0
    """How long its turn may run on, for a child that has said its final."""


class AppendJournal(Effect, frozen=True, kw_only=True):
    """Write one line into the node's journal."""

    workspace: str
    line: int
    kind: str
    at_ms: int
    body: dict[str, Any]


class WakeReader(Effect, frozen=True, kw_only=True):
    """Mail of the next-step kind waits for the node."""


class PromptChild(Effect, frozen=True, kw_only=True):
    """Say something to a running child as its next turn, or with its next tool answer."""

    message_id: MessageId | None
    text: str


AnyEffect = StartChild | StopChild | AppendJournal | WakeReader | PromptChild
