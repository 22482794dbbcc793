"""What callers are shown. Two sizes of the same things: all of it, and what a node may see.

A field without a default is always written; one with a default is left out when it has nothing to
say. `measuredTokens` is always written: null means "not reported", and no other number stands in.
Times are wall clock milliseconds since 1970; an unknown one is absent.
"""

from typing import Any

from subsessiond.model.base import Value
from subsessiond.model.brief import Brief, Grant
from subsessiond.model.checkpoint import CheckpointMark
from subsessiond.model.ids import MessageId, NodeId
from subsessiond.model.node import Author, Phase, Status, StopReason
from subsessiond.model.process import Identity
from subsessiond.model.report import Outcome, Report, Stage
from subsessiond.model.role import Delivery, ToolClass


class MeasuredTokens(Value, frozen=True, kw_only=True):
    """Tokens as the agent protocol reported them; each message counted once."""

    input: int
    cache_read: int
    cache_write: int
    output: int


class Row(Value, frozen=True, kw_only=True):
    """One node in the operator's tree."""

    node_id: NodeId
    seq: int
    """Sequence number of the last event that changed the node."""
    title: str
    state: Status
    stopping: bool
    """Settled and not yet gone, or covered by a cancel."""
    blocked: bool
    """Stands in the operator's queue for a blocked final."""
    declared_token_cap: int
    measured_tokens: MeasuredTokens | None
    root_id: NodeId
    parent_id: NodeId | None = None
    """Absent for a root."""
    role: str = ""
    phase: Phase | None = None
    """Telemetry of a live child."""
    outcome: Outcome | None = None
    reason: str = ""
    author: Author | None = None
    last_sign_at: int | None = None
    last_sign: str = ""
    claimed_at: int | None = None
    started_at: int | None = None
    settled_at: int | None = None
    released_at: int | None = None
    elapsed_ms: int | None = None
    """From start to settling; absent while either is unknown."""
    checkpoint: str = ""
    """Pointer to the newest checkpoint."""
    predecessor: NodeId | None = None
    successor: NodeId | None = None
    generation: int = 1
    overlaps: tuple[NodeId, ...] = ()
    leftovers: tuple[str, ...] = ()
    dismissed: bool = False
    reports: int = 0
    refusals: int = 0


class ChildRow(Value, frozen=True, kw_only=True):
    """One child in its parent's tree: at most 400 bytes of compact JSON."""

    node_id: NodeId
    seq: int
    title: str
    """As much of it as fits."""
    state: Status
    role: str = ""
    stopping: bool = False
    blocked: bool = False
    outcome: Outcome | None = None
    reason: str = ""
    declared_token_cap: int
    claimed_at: int | None = None
    settled_at: int | None = None
    last_sign_at: int | None = None
    successor: NodeId | None = None
    reports: int = 0


class TreeAnswer(Value, frozen=True, kw_only=True):
    """A page of the tree, or what changed in it."""

    rows: tuple[Row | ChildRow, ...]
    seq: int
    """Cursor: give it as `sinceSeq` to be told what changed after this answer."""
    resync: bool
    """Forget what you have: the cursor was too old, and these are whole rows again."""
    next: NodeId | None = None
    """More rows follow: give it as `after`, and keep the `seq` of the first page."""


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
    """The newest report without a named stage, while the node lives."""
    identity: Identity | None = None


class ChildView(Value, frozen=True, kw_only=True):
    """What a parent is shown of one child: at most 10,000 estimated tokens, no diagnostic."""

    row: ChildRow
    measured_tokens: MeasuredTokens | None
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
    """Of the settled record, else of the last report without a named stage."""
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


class OpenAnswer(Value, frozen=True, kw_only=True):
    """A root is there."""

    node_id: NodeId
    token: str
    resumed: bool
    token_cap: int
    workspace: str


class SpawnAnswer(Value, frozen=True, kw_only=True):
    """A child is admitted."""

    node_id: NodeId
    state: Status
    claimed_at: int
    warnings: tuple[str, ...]
    would_admit: bool | None = None
    """With `checkOnly`: every check passed and nothing was started."""


class ReportAnswer(Value, frozen=True, kw_only=True):
    """A report is durable."""

    message_id: MessageId
    text: str
    already: bool


class CheckpointAnswer(Value, frozen=True, kw_only=True):
    """A checkpoint is durable."""

    pointer: str
    line: int


class ReceiptAnswer(Value, frozen=True, kw_only=True):
    """How far a message has come."""

    message_id: MessageId
    state: str
    """A `MessageState`, or `unknown` when it left its mailbox before this daemon started."""


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


class SteerAnswer(Value, frozen=True, kw_only=True):
    """A message was accepted; that is not yet read."""

    message_id: MessageId
    text: str


class StoppedNode(Value, frozen=True, kw_only=True):
    """What became of one node of a stopped subtree."""

    node_id: NodeId
    state: Status
    forced: bool
    leftovers: tuple[str, ...]


class CancelAnswer(Value, frozen=True, kw_only=True):
    """What a cancel or close covers."""

    nodes: tuple[StoppedNode, ...]
    already: bool
    """Nothing was left to stop when this was called."""
    more: int = 0
    """Nodes left out of an answer to a node."""


class NodeAnswer(Value, frozen=True, kw_only=True):
    """Done to this node."""

    node_id: NodeId


class BlockedRow(Value, frozen=True, kw_only=True):
    """One thing that waits for a person."""

    node_id: NodeId
    parent_id: NodeId | None
    title: str
    category: str
    """`approval`, `question`, `missing`, `budget`, `scope` or `leftovers`."""
    since_ms: int | None
    """Wall clock since when it waits."""
    blockers: tuple[str, ...]
    open_questions: tuple[str, ...]
    leftovers: tuple[str, ...]
    letter: str


class BlockedAnswer(Value, frozen=True, kw_only=True):
    """The queue, oldest first."""

    rows: tuple[BlockedRow, ...]


class LetterAnswer(Value, frozen=True, kw_only=True):
    """A handover to read or to paste."""

    mission: str
    letter: str


class JournalEntry(Value, frozen=True, kw_only=True):
    """One line of a journal."""

    n: int
    at: int
    kind: str
    body: dict[str, Any]
    damaged: bool
    cut: bool = False
    """The body is too large for this answer; read it in the file."""


class JournalAnswer(Value, frozen=True, kw_only=True):
    """A page of a journal."""

    records: tuple[JournalEntry, ...]
    next: int | None = None
    """Line to go on with."""


class SubscribeAnswer(Value, frozen=True, kw_only=True):
    """Events follow on this connection."""

    seq: int
    resync: bool
    """The cursor is too old: read the tree anew."""


class EventNote(Value, frozen=True, kw_only=True):
    """One notification `events.event`."""

    seq: int
    """Cursor; telemetry carries the number of the last durable event."""
    type: str
    node: NodeId
    at: int
    row: Row | ChildRow | None = None


class RoleRow(Value, frozen=True, kw_only=True):
    """One role that a spawn may name."""

    name: str
    tier: str
    agent: str
    depth_cap: int
    tools: tuple[ToolClass, ...]
    report_delivery: Delivery
    token_cap: int
    max_report_tokens: int
    required_sections: tuple[str, ...] = ()
    max_live: int | None = None


class RolesAnswer(Value, frozen=True, kw_only=True):
    """The role table."""

    roles: tuple[RoleRow, ...]
    more: int = 0


class AgentRow(Value, frozen=True, kw_only=True):
    """One agent profile, without its command line and environment."""

    name: str
    runner: str
    tiers: tuple[str, ...]
    takes_steer: bool
    takes_schema: bool
    scripted: bool = False


class AgentsAnswer(Value, frozen=True, kw_only=True):
    """The agent table."""

    agents: tuple[AgentRow, ...]
    more: int = 0


class InfoAnswer(Value, frozen=True, kw_only=True):
    """What serves here."""

    name: str
    version: str
    protocol_version: int
    pid: int
    started_at: int
    socket: str
    state_dir: str
    containers: str
    scripted: bool = False
    """Some agent is a script and no model."""


class HealthAnswer(Value, frozen=True, kw_only=True):
    """Whether it serves."""

    ok: bool
    seq: int


class StatsAnswer(Value, frozen=True, kw_only=True):
    """Counts of what is in memory."""

    seq: int
    nodes: int
    roots: int
    live: int
    blocked: int
    unread: int
    """Messages not acknowledged."""
    in_flight: int
    readers: int
    """Connections that follow events."""
    uptime_ms: int


class ShutdownAnswer(Value, frozen=True, kw_only=True):
    """The daemon ends now."""

    stopping: bool


class ReloadAnswer(Value, frozen=True, kw_only=True):
    """The tables were read anew."""

    roles: int
    agents: int
