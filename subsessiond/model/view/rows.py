"""Rows of the tree, and the answers and notes that carry them."""

from subsessiond.model.base import Value
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Author, Phase, Status
from subsessiond.model.report import Outcome


class MeasuredTokens(Value, frozen=True, kw_only=True):
    """Tokens as the agent protocol reported them; each message counted once."""

    input: int | None
    """Read at full price; a figure that the agent does not report is null."""
    cache_read: int | None
    cache_write: int | None
    output: int | None


class MeasuredSubtree(Value, frozen=True, kw_only=True):
    """The same summed over a node and all below it, with how many of these report at all."""

    input: int | None
    cache_read: int | None
    cache_write: int | None
    output: int | None
    reporting: int
    """Nodes of which anything was measured: the sums are of these alone."""
    started: int
    """Nodes whose agent was ever up; where it is more than `reporting`, the sums are partial."""


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
    measured_subtree: MeasuredSubtree | None
    root_id: NodeId
    parent_id: NodeId | None = None
    """Absent for a root."""
    role: str = ""
    phase: Phase | None = None
    """Telemetry of a live child."""
    awaits_attach: bool = False
    """Claimed until somebody attaches the process that is its agent."""
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
    unread: int = 0
    """Reports of its children that it left unread when it settled, and nobody took over."""
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
