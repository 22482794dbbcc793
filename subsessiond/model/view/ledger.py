"""The context ledger: what sessions hold, and what their parents were shown of them."""

from subsessiond.model.base import Value
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Status


class LedgerRow(Value, frozen=True, kw_only=True):
    """One child. A figure that was not counted from its beginning on is null, never less."""

    node_id: NodeId
    root_id: NodeId
    parent_id: NodeId | None
    title: str
    role: str
    runner: str
    state: Status
    transcript_bytes: int | None
    """What its session holds: what its agent was told and what it printed, as `logs` has it. Null
    where its words do not pass through the daemon."""
    transcript_estimated_tokens: int | None
    """A third of the bytes, rounded up: estimated, not measured."""
    shown_bytes: int | None
    """All that its parent was shown because of it: mail, each message once, and answers."""
    shown_estimated_tokens: int | None
    mail_bytes: int | None
    answer_bytes: int | None
    """Answers to its parent's calls about it, refusals and notifications included."""
    again_bytes: int | None
    """Messages that its parent was shown once more; no part of `shownBytes`."""
    definition_bytes: int | None
    """The definitions of our tools that its own agent was given."""
    general_bytes: int | None
    """What it was shown itself, as a parent, of no one child."""
    ratio: float | None
    """`shownBytes` of `transcriptBytes`."""
    counted_since: int | None = None
    """Counting began then, later than the child: it was made by an older version."""
    may_lack: bool = False
    """A daemon was killed meanwhile: what it counted in its last second may be missing."""


class LedgerSum(Value, frozen=True, kw_only=True):
    """The tree of one root. Sums are of the children that were counted, and say of how many."""

    root_id: NodeId
    title: str
    state: Status
    children: int
    """Nodes below the root."""
    counted: int
    """Of how many of them the sums are."""
    transcript_bytes: int | None
    transcript_estimated_tokens: int | None
    shown_bytes: int | None
    """All that parents in this tree were shown because of these children, and `generalBytes`."""
    shown_estimated_tokens: int | None
    general_bytes: int | None
    """What parents were shown of no one child: refused spawns, empty mailboxes."""
    again_bytes: int | None
    definition_bytes: int | None
    """The definitions of our tools, as the root's agent was given them; fixed, counted once."""
    ratio: float | None
    may_lack: bool = False


class LedgerAnswer(Value, frozen=True, kw_only=True):
    """A page of the ledger."""

    rows: tuple[LedgerRow, ...]
    roots: tuple[LedgerSum, ...]
    """Sums over the whole trees of the roots whose children are on this page."""
    next: NodeId | None = None
    """More rows follow: give it as `after`."""
