"""The operator's queue."""

from subsessiond.model.base import Value
from subsessiond.model.ids import NodeId


class BlockedRow(Value, frozen=True, kw_only=True):
    """One thing that waits for a person."""

    node_id: NodeId
    parent_id: NodeId | None
    title: str
    category: str
    """`approval`, `question`, `missing`, `budget`, `scope`, `leftovers`, `attach` or `mail`."""
    since_ms: int | None
    """Wall clock since when it waits."""
    blockers: tuple[str, ...]
    open_questions: tuple[str, ...]
    leftovers: tuple[str, ...]
    letter: str
    unread: int = 0
    """Reports of its children that it never read, and nobody took over: `inbox` shows them."""


class BlockedAnswer(Value, frozen=True, kw_only=True):
    """The queue, oldest first."""

    rows: tuple[BlockedRow, ...]


class LetterAnswer(Value, frozen=True, kw_only=True):
    """A handover to read or to paste."""

    mission: str
    letter: str
