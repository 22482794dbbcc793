"""The one list of methods. What serves, what documents and what calls is checked against it."""

from dataclasses import dataclass

from pydantic import BaseModel

from subsessiond.wire import params as p
from subsessiond.wire import results as r
from subsessiond.wire.checkpoint import CheckpointFields
from subsessiond.wire.plan import PlanParams
from subsessiond.wire.report import ReportFields
from subsessiond.wire.roles import AcceptRoleParams, RolesParams
from subsessiond.wire.stats import StatsParams

ANYONE = "anyone"
OPERATOR = "operator"
NODE = "the node itself"
PARENT = "parent, operator"
DELEGATE = "node with `delegate`, operator"


@dataclass(frozen=True, slots=True)
class Method:
    """One method."""

    name: str
    params: type[BaseModel]
    result: r.Shape
    who: str
    """Who may call it; the method decides by the derived caller."""
    summary: str
    fields: type[BaseModel] | None = None
    """Documents the parameters of a method that takes them as they come."""

    @property
    def documented(self) -> type[BaseModel]:
        """The shape to show for the parameters."""
        return self.fields or self.params


METHODS: tuple[Method, ...] = (
    Method(
        "subsession.open",
        p.OpenParams,
        r.OPEN,
        "operator; a bridge in no territory",
        "Open a root for a workspace, or resume one.",
    ),
    Method(
        "subsession.spawn",
        p.SpawnParams,
        r.SPAWN,
        DELEGATE,
        "Start a child; answered when its admission is durable.",
    ),
    Method(
        "subsession.plan",
        PlanParams,
        r.SPAWN,
        DELEGATE,
        "Start a graph of briefs as one child, which reports once for all of them.",
    ),
    Method(
        "subsession.report",
        p.ReportParams,
        r.REPORT,
        NODE,
        "Report to the agent that started the caller.",
        ReportFields,
    ),
    Method(
        "subsession.checkpoint",
        p.CheckpointParams,
        r.CHECKPOINT,
        NODE,
        "Write down where the caller stands, so that another can go on.",
        CheckpointFields,
    ),
    Method(
        "subsession.receipt", p.ReceiptParams, r.RECEIPT, NODE, "Tell how far a message has come."
    ),
    Method(
        "subsession.succeed",
        p.SucceedParams,
        r.SPAWN,
        DELEGATE,
        "Hire a fresh child that continues a settled one.",
    ),
    Method(
        "subsession.tree",
        p.TreeParams,
        r.TREE,
        "operator; node: its own children",
        "Show the tree, or what changed in it.",
    ),
    Method("subsession.node", p.NodeParams, r.NODE, PARENT, "Show one node."),
    Method(
        "subsession.inbox",
        p.InboxParams,
        r.INBOX,
        "a parent; operator looks",
        "Read and acknowledge mail.",
    ),
    Method(
        "subsession.unread",
        p.UnreadParams,
        r.UNREAD,
        "a root's agent; nobody else has any",
        "Tell an agent whose turn ends that it has mail it has not read.",
    ),
    Method(
        "subsession.attach",
        p.AttachParams,
        r.ATTACH,
        "operator in no territory; the process itself",
        "Make the calling process the child that waits for it.",
    ),
    Method("subsession.steer", p.SteerParams, r.STEER, PARENT, "Say something to a live child."),
    Method("subsession.cancel", p.CancelParams, r.CANCEL, PARENT, "Stop a node and all below it."),
    Method("subsession.blocked", p.NoParams, r.BLOCKED, OPERATOR, "Show what waits for a person."),
    Method(
        "subsession.handover",
        p.HandoverParams,
        r.HANDOVER,
        "operator, granting",
        "Read a settled node's handover, or start its successor with an answer or a grant.",
    ),
    Method(
        "subsession.dismiss",
        p.NodeParams,
        r.DONE,
        OPERATOR,
        "Take a node out of the blocked queue.",
    ),
    Method(
        "subsession.release",
        p.ReleaseParams,
        r.DONE,
        "operator, granting",
        "Free the claim of a node whose processes cannot be proven gone.",
    ),
    Method(
        "subsession.close", p.NodeParams, r.CANCEL, OPERATOR, "End a root and everything below it."
    ),
    Method(
        "subsession.journal",
        p.JournalParams,
        r.JOURNAL,
        "operator; a successor its predecessors'",
        "Read a node's journal.",
    ),
    Method(
        "subsession.transcript",
        p.TranscriptParams,
        r.TRANSCRIPT,
        OPERATOR,
        "Read what went between the daemon and a child.",
    ),
    Method(
        "subsession.stats",
        StatsParams,
        r.LEDGER,
        OPERATOR,
        "Show what sessions hold against what their parents were shown of them.",
    ),
    Method(
        "events.subscribe",
        p.SubscribeParams,
        r.SUBSCRIBE,
        "operator; node: its own children's",
        "Follow events on this WebSocket as `events.event`.",
    ),
    Method(
        "subsession.acceptRole",
        AcceptRoleParams,
        r.ACCEPT,
        "operator, granting",
        "Let a workspace's role be used, as its file is now.",
    ),
    Method("roles.list", RolesParams, r.ROLES, ANYONE, "List the roles a spawn may name."),
    Method("agents.list", p.NoParams, r.AGENTS, ANYONE, "List the agent profiles."),
    Method("daemon.info", p.NoParams, r.INFO, ANYONE, "Tell what serves here."),
    Method("daemon.caller", p.NoParams, r.CALLER, ANYONE, "Tell for whom the caller is taken."),
    Method("daemon.health", p.NoParams, r.HEALTH, ANYONE, "Tell whether it serves."),
    Method("daemon.stats", p.NoParams, r.STATS, OPERATOR, "Count what is in memory."),
    Method("daemon.shutdown", p.NoParams, r.SHUTDOWN, OPERATOR, "End the daemon."),
    Method("daemon.reload", p.NoParams, r.RELOAD, OPERATOR, "Read limits, roles and agents anew."),
    Method("rpc.discover", p.NoParams, r.DISCOVERY, ANYONE, "Give this document."),
)
