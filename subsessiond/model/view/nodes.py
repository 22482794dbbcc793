"""One node: everything about it, and what its parent may see."""

from typing import Any

from subsessiond.model.base import Value
from subsessiond.model.brief import Brief, Grant
from subsessiond.model.checkpoint import CheckpointMark
from subsessiond.model.ids import MessageId, NodeId
from subsessiond.model.node import Author, StopReason
from subsessiond.model.process import Identity
from subsessiond.model.report import Outcome, Report
from subsessiond.model.role import ToolClass
from subsessiond.model.view.rows import ChildRow, MeasuredSubtree, MeasuredTokens, Row


class Envelope(Value, frozen=True, kw_only=True):
    """The settled record of a node."""

    outcome: Outcome
    stop_reason: StopReason
    reason: str
    author: Author
    output: str
    verification: str
    declared_token_cap: int
    measured_tokens: MeasuredTokens | None
    measured_subtree: MeasuredSubtree | None
    structured: Any | None = None
    sections: dict[str, str] | None = None
    blockers: tuple[str, ...] = ()
    open_questions: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    message_id: MessageId | None = None
    claimed_at: int | None = None
    started_at: int | None = None
    settled_at: int | None = None
    released_at: int | None = None
    forced: bool = False
    """Its processes had to be killed."""
    produced_bytes: int | None = None
    """What its run wrote, counted by the daemon; absent when it was not counted."""
    diagnostic: str | None = None
    """For the operator alone."""


class NodeView(Value, frozen=True, kw_only=True):
    """Everything about a node, for the operator."""

    row: Row
    workspace: str
    depth: int
    agent: str
    runner: str
    owns: tuple[str, ...]
    max_report_tokens: int
    unread: int
    """Messages in its mailbox that it has not acknowledged."""
    children: tuple[NodeId, ...] = ()
    brief: Brief | None = None
    required_sections: tuple[str, ...] = ()
    tools: tuple[ToolClass, ...] = ()
    grant: Grant | None = None
    argv: tuple[str, ...] = ()
    letter: str = ""
    checkpoint: CheckpointMark | None = None
    envelope: Envelope | None = None
    last_report: Report | None = None
    """The newest report, while the node lives."""
    identity: Identity | None = None


class ChildView(Value, frozen=True, kw_only=True):
    """What a parent is shown of one child: at most 10,000 estimated tokens, no diagnostic."""

    row: ChildRow
    measured_tokens: MeasuredTokens | None
    measured_subtree: MeasuredSubtree | None
    stop_reason: StopReason | None = None
    author: Author | None = None
    verification: str = ""
    started_at: int | None = None
    released_at: int | None = None
    forced: bool = False
    generation: int = 1
    predecessor: NodeId | None = None
    checkpoint: str = ""
    output: str = ""
    """Of the settled record, else of the newest report; the fields below too."""
    blockers: tuple[str, ...] = ()
    open_questions: tuple[str, ...] = ()
    sections: dict[str, str] | None = None
    structured: Any | None = None
    files: tuple[str, ...] = ()
    phase: str = ""
    """Of the newest checkpoint, in the child's words."""
    next_step: str = ""
    leftovers: tuple[str, ...] = ()
    owns: tuple[str, ...] = ()
    mission: str = ""
    cut: tuple[str, ...] = ()
    """Fields that did not fit whole."""
