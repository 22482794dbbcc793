"""What a child says upward."""

from enum import StrEnum
from typing import Any

from subsessiond.model.base import Value
from subsessiond.model.brief import FieldFault


class Stage(StrEnum):
    """How much a report decides."""

    PROGRESS = "progress"
    FINDING = "finding"
    FINAL = "final"


class Outcome(StrEnum):
    """How a node ended. A child may claim the first three of itself."""

    COMPLETED = "completed"
    BLOCKED = "blocked"
    FAILED = "failed"
    CANCELLED = "cancelled"
    ORPHANED = "orphaned"


class Report(Value, frozen=True, kw_only=True):
    """One report, exactly as the child gave it."""

    stage: Stage
    output: str
    explicit: bool = True
    """Whether the child named the stage; only unnamed ones can be promoted."""
    outcome: Outcome | None = None
    structured: Any | None = None
    sections: dict[str, str] | None = None
    blockers: tuple[str, ...] = ()
    open_questions: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    end_children: bool = False
    key: str | None = None


class MalformedReport(Value, frozen=True, kw_only=True):
    """A report without a valid shape, measured all the same: its size is judged first."""

    size_bytes: int
    """Bytes of the compact JSON of its parameters."""
    faults: tuple[FieldFault, ...]
    is_final: bool = False
