"""Requests to the registry. Time, ids, caller and everything read from disk are stamped on them."""

from subsessiond.model.base import Tagged, Value
from subsessiond.model.brief import Brief, FieldFault, Grant
from subsessiond.model.checkpoint import Checkpoint
from subsessiond.model.ids import MessageId, NodeId
from subsessiond.model.node import Phase, StopReason
from subsessiond.model.planned import PlannedPaths
from subsessiond.model.process import Identity
from subsessiond.model.report import MalformedReport, Outcome, Report
from subsessiond.model.usage import Usage


class Caller(Value, frozen=True, kw_only=True):
    """Who is calling, as derived from the operating system; never taken from a parameter."""

    node_id: NodeId | None = None
    """The node in whose territory the caller lives; none = the operator."""
    may_grant: bool = False
    """Whether this is a person's own terminal or page."""
    why: str = ""
    """How it was derived, for refusals."""

    @property
    def is_operator(self) -> bool:
        """The person: in nobody's territory."""
        return self.node_id is None


class Command(Tagged, frozen=True, kw_only=True):
    """The stamps that every command carries."""

    at_ms: int
    """Wall clock, milliseconds since 1970."""
    awake_ms: int
    """Awake clock: milliseconds in which daemon and machine were awake."""


class ClientCommand(Command, frozen=True, kw_only=True):
    """A command on behalf of somebody outside."""

    caller: Caller


class OpenRoot(ClientCommand, frozen=True, kw_only=True):
    """Open a root, or resume the one named."""

    new_id: NodeId
    workspace: str
    title: str = ""
    token_cap: int | None = None
    token_hash: str = ""
    resume: NodeId | None = None
    agent: Identity | None = None
    """The process above the bridge: the root's territory."""
    bridge: Identity | None = None
    """The bridge itself, which may outlive that."""
    resume_detached: bool = False
    """Whether a root that a bridge left behind on the same folder is come back to."""
    gone: tuple[Identity, ...] = ()
    """Agents of roots on that folder that were looked for and run no more."""


class Spawn(ClientCommand, frozen=True, kw_only=True):
    """Admit a child below a parent."""

    new_id: NodeId
    parent: NodeId
    role: str
    brief: Brief | None
    """None when the brief has faults."""
    brief_faults: tuple[FieldFault, ...] = ()
    paths: PlannedPaths = PlannedPaths()
    fingerprint: str = ""
    """SHA-256 of role and brief: what an idempotency key stands for."""
    key: str | None = None
    allow_overlap: bool = False
    check_only: bool = False
    argv: tuple[str, ...] = ()


class SubmitReport(ClientCommand, frozen=True, kw_only=True):
    """A child reports."""

    node: NodeId
    report: Report | MalformedReport
    fingerprint: str
    size_bytes: int
    schema_fault: str | None = None
    """What the brief's schema found wrong, evaluated at the edge under a bound."""


class SaveCheckpoint(ClientCommand, frozen=True, kw_only=True):
    """A child writes down where it stands."""

    node: NodeId
    checkpoint: Checkpoint | None
    size_bytes: int
    faults: tuple[FieldFault, ...] = ()


class Succeed(ClientCommand, frozen=True, kw_only=True):
    """Hire a fresh child that continues a settled one."""

    new_id: NodeId
    predecessor: NodeId
    role: str | None = None
    mission: str | None = None
    token_cap: int | None = None
    key: str | None = None
    fingerprint: str = ""
    grant: Grant = Grant()
    """Operator only, by handover."""
    answer: str | None = None
    paths: PlannedPaths = PlannedPaths()
    """The predecessor's patterns (and a grant's) as they normalise today."""
    faults: tuple[FieldFault, ...] = ()


class Steer(ClientCommand, frozen=True, kw_only=True):
    """Say something to a live child."""

    node: NodeId
    text: str


class Cancel(ClientCommand, frozen=True, kw_only=True):
    """Stop a node and everything below it."""

    node: NodeId


class Acknowledge(ClientCommand, frozen=True, kw_only=True):
    """A parent has read these messages."""

    node: NodeId
    message_ids: tuple[MessageId, ...] = ()


class Dismiss(ClientCommand, frozen=True, kw_only=True):
    """The operator takes a row out of the blocked queue."""

    node: NodeId


class Release(ClientCommand, frozen=True, kw_only=True):
    """The operator frees the claim of a node whose processes cannot be proven gone."""

    node: NodeId


class CloseRoot(ClientCommand, frozen=True, kw_only=True):
    """End a root and everything below it."""

    node: NodeId


class Attach(ClientCommand, frozen=True, kw_only=True):
    """A process that somebody else started joins as the child that waits for it."""

    node: NodeId
    identity: Identity


class ConfirmStart(Command, frozen=True, kw_only=True):
    """The agent is up and its channel seen."""

    node: NodeId
    identity: Identity | None = None


class FailStart(Command, frozen=True, kw_only=True):
    """The agent did not start, or did not come up in time.

    Without a recorded process, `start-failed` means that surely nothing ran.
    """

    node: NodeId
    why: str
    """Words of ours: a parent is shown them."""
    reason: str = "start-failed"
    diagnostic: str | None = None
    """For the operator, in place of `why`: what the agent itself printed may stand here."""


class NoteProcess(Command, frozen=True, kw_only=True):
    """A process was made for a claimed node; recorded before its channel is seen."""

    node: NodeId
    identity: Identity


class EndChild(Command, frozen=True, kw_only=True):
    """The child's run is over, by whatever way."""

    node: NodeId
    outcome: Outcome
    stop_reason: StopReason
    reason: str
    output: str = ""
    """The runtime's bounded words: a `command` child's report, or empty."""
    produced_bytes: int | None = None
    diagnostic: str | None = None
    promotes: bool = False
    """Its run ended cleanly and it cannot be asked any more: what it said last without a stage is
    its final, where it satisfies the contract.
    """


class EndTurn(Command, frozen=True, kw_only=True):
    """The child's turn ended cleanly without the process ending."""

    node: NodeId
    diagnostic: str | None = None
    """For the operator, where the child turns out to have ended without a final."""


class NoteSign(Command, frozen=True, kw_only=True):
    """A sign of life that is telemetry: tool start or end, session update, token usage."""

    node: NodeId
    sign: str
    phase: Phase | None = None


class NoteUsage(Command, frozen=True, kw_only=True):
    """Running totals of the tokens one node used, as far as its runner knows them."""

    node: NodeId
    usage: Usage


class NoteRefusal(Command, frozen=True, kw_only=True):
    """The guard turned this caller's spawns away as too many."""

    node: NodeId


class ConfirmGone(Command, frozen=True, kw_only=True):
    """A settled node's processes are gone, or what is left of them."""

    node: NodeId
    forced: bool = False
    leftovers: tuple[str, ...] = ()
    watched: bool = False
    """Whether the very processes that were left have been seen to end."""


class MarkDelivered(Command, frozen=True, kw_only=True):
    """Messages were handed to their reader (a steer: read by its agent)."""

    node: NodeId
    message_ids: tuple[MessageId, ...]
    read: bool = False


class Sweep(Command, frozen=True, kw_only=True):
    """Look for children that have been silent, slow to start or over their deadline."""

    now: bool = False  # mark and retire in one step, as at succession entry
    attended: tuple[NodeId, ...] = ()
    """Idle roots whose agent still runs, though nobody has come back to them."""


class Recover(Command, frozen=True, kw_only=True):
    """Settle what an earlier life of the daemon left, once its processes are ended."""

    node: NodeId
    forced: bool = False
    leftovers: tuple[str, ...] = ()


AnyCommand = (
    OpenRoot
    | Spawn
    | SubmitReport
    | SaveCheckpoint
    | Succeed
    | Steer
    | Cancel
    | Acknowledge
    | Dismiss
    | Release
    | CloseRoot
    | Attach
    | ConfirmStart
    | FailStart
    | NoteProcess
    | EndChild
    | EndTurn
    | NoteSign
    | NoteUsage
    | NoteRefusal
    | ConfirmGone
    | MarkDelivered
    | Sweep
    | Recover
)
