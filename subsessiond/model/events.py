"""What has happened. Durable events are numbered and kept; volatile ones are telemetry."""

from typing import ClassVar

from subsessiond.model.base import Tagged
from subsessiond.model.checkpoint import Checkpoint
from subsessiond.model.ids import MessageId, NodeId
from subsessiond.model.message import Message, MessageState
from subsessiond.model.node import Node, Phase, Settlement
from subsessiond.model.process import Identity
from subsessiond.model.report import Report
from subsessiond.model.usage import Usage


class Event(Tagged, frozen=True, kw_only=True):
    """One fact. `node` is whom it concerns, `seq` its place in the one history."""

    durable: ClassVar[bool] = True
    node: NodeId
    at_ms: int
    awake_ms: int = 0
    seq: int = 0


class RootOpened(Event, frozen=True, kw_only=True):
    """A root stands for a person's agent or script."""

    record: Node


class RootResumed(Event, frozen=True, kw_only=True):
    """A bridge came back to its root."""

    agent: Identity | None = None
    token_hash: str = ""


class RootJoined(Event, frozen=True, kw_only=True):
    """A bridge speaks as a root from now on, whatever becomes of the agent above it."""

    bridge: Identity


class NodeAdmitted(Event, frozen=True, kw_only=True):
    """A child passed every check and holds slot, tokens and claim."""

    record: Node
    fingerprint: str = ""
    pace_ms: int = 0
    """Awake clock at which the tree's admissions would be back on their steady pace."""


class ProcessNoted(Event, frozen=True, kw_only=True):
    """A claimed node has a process."""

    identity: Identity


class NodeStarted(Event, frozen=True, kw_only=True):
    """The agent is up."""

    identity: Identity | None = None


class ReportAccepted(Event, frozen=True, kw_only=True):
    """A report is durable."""

    report: Report
    message_id: MessageId
    fingerprint: str
    line: int
    progress_level: int = 0
    promotable: bool = False
    """Whether it names no stage and satisfies what the contract asks of a final."""


class LateReportKept(Event, frozen=True, kw_only=True):
    """A report came after the node had settled: it is in the journal and counts for nothing."""

    report: Report
    line: int


class CheckpointSaved(Event, frozen=True, kw_only=True):
    """A checkpoint is durable."""

    checkpoint: Checkpoint
    line: int


class MessageStaged(Event, frozen=True, kw_only=True):
    """A message lies in a mailbox. `node` is the recipient."""

    message: Message
    caused_by: NodeId | None = None
    """The node whose message counter it used."""


class MessagesMoved(Event, frozen=True, kw_only=True):
    """Messages in the mailbox of `node` changed their state."""

    message_ids: tuple[MessageId, ...]
    state: MessageState


class MailForwarded(Event, frozen=True, kw_only=True):
    """Unread mail of `node` went to its successor."""

    to: NodeId


class NodeSettled(Event, frozen=True, kw_only=True):
    """A node reached its one terminal state."""

    settlement: Settlement
    line: int = 0


class NodeReleased(Event, frozen=True, kw_only=True):
    """All processes of a settled node are gone, or the operator said so."""

    forced: bool = False
    by_operator: bool = False


class LeftoversFound(Event, frozen=True, kw_only=True):
    """Something of a settled node cannot be proven gone; its claim stays."""

    leftovers: tuple[str, ...]
    forced: bool = False


class CancelRequested(Event, frozen=True, kw_only=True):
    """A subtree is being stopped: nothing may be spawned there any more."""


class FinalAsked(Event, frozen=True, kw_only=True):
    """The child ended its turn without a final and was asked for it, once."""


class WrapUpAsked(Event, frozen=True, kw_only=True):
    """The node has spent all but its reserve, and was asked to come to its end, once."""


class Dismissed(Event, frozen=True, kw_only=True):
    """The operator took the node out of the blocked queue."""


class SilenceMarked(Event, frozen=True, kw_only=True):
    """The first of the two steps of retirement."""

    durable: ClassVar[bool] = False


class SignSeen(Event, frozen=True, kw_only=True):
    """A sign of life that is telemetry."""

    durable: ClassVar[bool] = False
    sign: str
    phase: Phase | None = None


class UsageSeen(Event, frozen=True, kw_only=True):
    """More tokens were measured; the next durable measurement, or the end, will hold them."""

    durable: ClassVar[bool] = False
    usage: Usage


class UsageMeasured(Event, frozen=True, kw_only=True):
    """More tokens were measured, and that is kept: seldom while a node runs, always afterwards."""

    usage: Usage


class RefusalNoted(Event, frozen=True, kw_only=True):
    """A caller's guard turned a call away, or a final of the node was refused."""

    durable: ClassVar[bool] = False

    final: bool = False


class TreeForgotten(Event, frozen=True, kw_only=True):
    """A closed root and all below it are in the store alone from now on. `node` is the root."""

    durable: ClassVar[bool] = False


AnyEvent = (
    RootOpened
    | RootResumed
    | RootJoined
    | NodeAdmitted
    | ProcessNoted
    | NodeStarted
    | ReportAccepted
    | LateReportKept
    | CheckpointSaved
    | MessageStaged
    | MessagesMoved
    | MailForwarded
    | NodeSettled
    | NodeReleased
    | LeftoversFound
    | CancelRequested
    | FinalAsked
    | WrapUpAsked
    | Dismissed
    | SilenceMarked
    | SignSeen
    | UsageSeen
    | UsageMeasured
    | RefusalNoted
    | TreeForgotten
)
