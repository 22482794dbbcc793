"""What a node's session holds, and what its parent was shown because of it: counted bytes."""

from enum import StrEnum

from subsessiond.model.base import Value
from subsessiond.model.ids import NodeId


class Stream(StrEnum):
    """What went between the daemon and a child, by direction."""

    SAID = "in"
    PRINTED = "out"
    ERRORS = "err"


class Why(StrEnum):
    """Why somebody was shown something."""

    MAIL = "mail"
    """A message, for the first time."""
    AGAIN = "again"
    """A message that was shown before."""
    ANSWER = "answer"
    """The answer to a call, refusals included, or a notification."""


class Part(Value, frozen=True, kw_only=True):
    """A part of what somebody was shown."""

    node: NodeId | None
    """Because of which child; none where it speaks of no one child."""
    why: Why
    size: int
    """Bytes."""


class Account(Value, frozen=True, kw_only=True):
    """The counts of one node: running totals in bytes, never falling."""

    node_id: NodeId
    since_ms: int | None = None
    """Counting began then, later than the node; none where it began with the node."""
    said: int = 0
    """Written to its agent."""
    printed: int = 0
    """Read from its agent."""
    errors: int = 0
    """Read from its agent's second output."""
    mail: int = 0
    """Shown to its parent: messages, each once."""
    again: int = 0
    """Shown to its parent: messages that it had been shown before."""
    answers: int = 0
    """Shown to its parent: answers to calls that concern the node."""
    general: int = 0
    """Shown to the node itself, as a parent, of no one child."""
    definitions: int | None = None
    """The definitions of our tools, as its agent was given them last; none = it never was."""


class Life(Value, frozen=True, kw_only=True):
    """A life of the daemon that ended without keeping its last counts."""

    began_ms: int
    found_ms: int
    """When the next one began."""
