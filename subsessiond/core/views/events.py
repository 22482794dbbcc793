"""Events as readers are told them: their names on the wire, whom they touch, who may hear them."""

from types import MappingProxyType
from typing import Final

from subsessiond.core.tally import together
from subsessiond.model.events import (
    AnyEvent,
    CancelRequested,
    CheckpointSaved,
    Dismissed,
    FinalAsked,
    LateReportKept,
    LeftoversFound,
    MailForwarded,
    MessagesMoved,
    MessageStaged,
    NodeAdmitted,
    NodeReleased,
    NodeSettled,
    NodeStarted,
    ProcessNoted,
    RefusalNoted,
    ReportAccepted,
    RootJoined,
    RootOpened,
    RootResumed,
    SignSeen,
    SilenceMarked,
    TreeForgotten,
    UsageMeasured,
    UsageSeen,
    WrapUpAsked,
)
from subsessiond.model.ids import NodeId
from subsessiond.model.tree import Tree

CHANGED: Final = "node.changed"
"""Told of a node that another node's event changed."""

EVENT_NAMES: Final = MappingProxyType(
    {
        RootOpened: "root.opened",
        RootResumed: "root.resumed",
        RootJoined: "root.joined",
        NodeAdmitted: "node.admitted",
        ProcessNoted: "process.noted",
        NodeStarted: "node.started",
        ReportAccepted: "report.accepted",
        LateReportKept: "report.late",
        CheckpointSaved: "checkpoint.saved",
        MessageStaged: "message.staged",
        MessagesMoved: "messages.moved",
        MailForwarded: "mail.forwarded",
        NodeSettled: "node.settled",
        NodeReleased: "node.released",
        LeftoversFound: "node.leftovers",
        CancelRequested: "node.cancelled",
        FinalAsked: "final.asked",
        WrapUpAsked: "wrap-up.asked",
        Dismissed: "node.dismissed",
        SilenceMarked: "silence.marked",
        SignSeen: "sign.seen",
        UsageSeen: "usage.seen",
        UsageMeasured: "usage.measured",
        RefusalNoted: "refusal.noted",
        TreeForgotten: "tree.forgotten",
    },
)

TO_PARENTS: Final = frozenset(
    {NodeAdmitted, NodeStarted, NodeSettled, NodeReleased, LeftoversFound, CancelRequested}
)
"""What a parent hears of a child: steps of its life, a handful however much the child does."""


def event_name(event: AnyEvent) -> str:
    """Give an event's name on the wire."""
    return EVENT_NAMES[type(event)]


def touched(tree: Tree, event: AnyEvent) -> tuple[NodeId, ...]:
    """List the nodes whose rows an event may have changed, its own node first.

    Args:
        tree: The tree after the event.
        event: What happened.
    """
    others: tuple[NodeId | None, ...] = ()
    match event:
        case NodeAdmitted(record=record):
            above = _ancestors(tree, event.node) if record.grant.tokens else ()
            others = (record.predecessor, *above)
        case MessageStaged(caused_by=cause):
            others = (cause,)
        case NodeSettled(settlement=said):
            node = tree.nodes.get(event.node)
            above = _ancestors(tree, event.node) if said.measured is not None else ()
            others = (node.predecessor if node is not None else None, *above)
        case NodeStarted():
            others = tuple(n for n in _ancestors(tree, event.node) if _shows_figures(tree, n))
        case UsageSeen() | UsageMeasured():
            others = _ancestors(tree, event.node)
        case _:
            pass
    named = (event.node, *(other for other in others if other is not None))
    return tuple(dict.fromkeys(node_id for node_id in named if node_id in tree.nodes))


def _shows_figures(tree: Tree, node_id: NodeId) -> bool:
    """Tell whether a node's row says of how many nodes its figures are."""
    return together(tree.nodes[node_id]).measured is not None


def _ancestors(tree: Tree, node_id: NodeId) -> tuple[NodeId, ...]:
    found: list[NodeId] = []
    node = tree.nodes.get(node_id)
    while node is not None and node.parent is not None:
        found.append(node.parent)
        node = tree.nodes.get(node.parent)
    return tuple(found)
