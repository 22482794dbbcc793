"""One session in the tree."""

from enum import StrEnum
from typing import Any

from subsessiond.model.base import Value
from subsessiond.model.brief import Brief, Grant
from subsessiond.model.checkpoint import CheckpointMark
from subsessiond.model.ids import MessageId, NodeId
from subsessiond.model.process import Identity
from subsessiond.model.report import Outcome, Report
from subsessiond.model.role import Role
from subsessiond.model.usage import Below, Usage


class Status(StrEnum):
    """Where a node stands in its life."""

    CLAIMED = "claimed"
    RUNNING = "running"
    SETTLED = "settled"
    RELEASED = "released"


class StopReason(StrEnum):
    """How the child's own run ended, in the words agents share."""

    COMPLETED = "completed"
    ABORTED = "aborted"
    ERROR = "error"
    MAX_TOKENS = "max-tokens"
    REFUSAL = "refusal"


class Author(StrEnum):
    """Whose words the settled record holds."""

    CHILD = "child"
    RUNTIME = "runtime"


class Phase(StrEnum):
    """Telemetry: what a live child was last seen doing."""

    STARTING = "starting"
    WORKING = "working"
    IN_TOOL = "in-tool"
    RATE_LIMITED = "rate-limited"
    WAITING = "waiting"
    STOPPING = "stopping"


class Settlement(Value, frozen=True, kw_only=True):
    """The one terminal record of a node."""

    outcome: Outcome
    stop_reason: StopReason
    reason: str
    """One additive word, such as `final-report` or `killed-by-signal`."""
    author: Author
    output: str = ""
    structured: Any | None = None
    sections: dict[str, str] | None = None
    blockers: tuple[str, ...] = ()
    open_questions: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    diagnostic: str | None = None
    """For the operator only: scrubbed, at most 4,096 bytes."""
    message_id: MessageId | None = None
    """The message that told the parent; none for orphans of orphans."""
    key: str | None = None
    verification: str = "unchecked"
    produced_bytes: int | None = None
    """Bytes its run wrote, as measured by us; none when not measured."""
    measured: Usage | None = None
    """Tokens measured until it settled; what its last turn reports later stands in the node."""


class Receipt(Value, frozen=True, kw_only=True):
    """The first answer to a report; given again to every repeat."""

    message_id: MessageId
    fingerprint: str
    """SHA-256 of the report's content, hexadecimal."""
    key: str | None = None
    is_final: bool = False


class Node(Value, frozen=True, kw_only=True):
    """A node as the registry keeps it: small, whatever its child produces."""

    node_id: NodeId
    parent: NodeId | None
    root: NodeId
    workspace: str
    """Absolute path of the folder it works in."""
    status: Status
    title: str
    depth: int
    """Levels that may grow below; minted from the parent's record."""
    token_cap: int
    """Declared: covers this node and everything below."""
    claimed_at_ms: int
    claimed_awake_ms: int = 0
    """Awake clock at admission: deadlines are measured from it."""
    seq: int = 0
    """Sequence number of the last event that changed this node."""
    role: Role | None = None
    """The role as admitted; none for a root."""
    agent: str = ""
    runner: str = ""
    brief: Brief | None = None
    owns: tuple[str, ...] = ()
    """Normal forms of the patterns it claims, from admission to release."""
    overlaps: tuple[NodeId, ...] = ()
    """Nodes whose claim was met, allowed and recorded."""
    grant: Grant = Grant()
    max_report_tokens: int = 600
    required_sections: tuple[str, ...] = ()
    key: str | None = None
    argv: tuple[str, ...] = ()
    predecessor: NodeId | None = None
    successor: NodeId | None = None
    generation: int = 1
    letter: str = ""
    """The lines of the handover letter it starts with; empty unless it continues."""
    started_at_ms: int | None = None
    settled_at_ms: int | None = None
    released_at_ms: int | None = None
    identity: Identity | None = None
    former: tuple[Identity, ...] = ()
    """Agents that were this root before, newest first: those that still run are no person."""
    settlement: Settlement | None = None
    forced: bool = False
    leftovers: tuple[str, ...] = ()
    stopping: bool = False
    """A cancel covers this node: nothing may be spawned below any more."""
    dismissed: bool = False
    checkpoint: CheckpointMark | None = None
    newest: Report | None = None
    """The newest report of a live node, of whatever stage: shown again to whoever asks."""
    last_report: Report | None = None
    """The newest report without a named stage: what can be promoted."""
    promotable: bool = False
    """Whether that report satisfies the contract."""
    receipts: tuple[Receipt, ...] = ()
    """Of the last 50 reports that can be repeated: those with a key, and the final."""
    reports: int = 0
    late_reports: int = 0
    progress: int = 0
    findings: int = 0
    progress_level: int = 0
    """Coalescing bucket of progress reports, in milliseconds."""
    progress_awake_ms: int = 0
    messages: int = 0
    """Messages this node has caused; names the next one."""
    journal_lines: int = 0
    refusals: int = 0
    """Spawns of this node that the guard turned away as too many."""
    final_refusals: int = 0
    """Finals that were refused for what they are; after so many no more is waited for."""
    asked_for_final: bool = False
    wrapped_up: bool = False
    """Whether it was told that it has spent all but its reserve."""
    last_sign_ms: int | None = None
    """Wall clock of the last sign of life."""
    last_sign: str = ""
    sign_awake_ms: int = 0
    """Awake clock of the last sign of life or, before the first, of the claim."""
    phase: Phase = Phase.STARTING
    marked_silent: bool = False
    measured: Usage | None = None
    """Tokens its agent reported, as running totals; none when it reported nothing."""
    measured_awake_ms: int = 0
    """Awake clock at which these were last made durable."""
    below: Below = Below()
    """The same of all nodes below; counted anew from them whenever the tree is read back."""
    token_hash: str = ""
    """SHA-256 of a root's token; children's tokens live in memory only."""

    @property
    def is_root(self) -> bool:
        """Roots stand for a person's own agent."""
        return self.parent is None

    @property
    def is_live(self) -> bool:
        """Live nodes hold a slot and their tokens."""
        return self.status in (Status.CLAIMED, Status.RUNNING)

    @property
    def reserve_tokens(self) -> int:
        """What is kept back for the last report and never lent below."""
        return 0 if self.is_root else 2 * self.max_report_tokens + 2_000
