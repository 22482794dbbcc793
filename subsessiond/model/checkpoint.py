"""What a child writes down so that another can go on."""

from subsessiond.model.base import Value


class Checkpoint(Value, frozen=True, kw_only=True):
    """A record in the child's journal; the tree keeps only its pointer and two lines of it."""

    phase: str
    state: str
    next_step: str
    decisions: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


class CheckpointMark(Value, frozen=True, kw_only=True):
    """What the tree remembers of the newest checkpoint."""

    line: int
    """Line number in the journal, from 1."""
    phase: str
    """At most 200 bytes."""
    next_step: str
    """At most 400 bytes."""
    at_ms: int
