"""`react` asks: what the world is to do, once an event is durable."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, cast

from msgspec import to_builtins

from subsessiond.core.cancel import unreleased_below
from subsessiond.core.lifecycle import runs_on
from subsessiond.core.words import ASK_FINAL
from subsessiond.model.effects import (
    AnyEffect,
    AppendJournal,
    PromptChild,
    StartChild,
    StopChild,
    WakeReader,
)
from subsessiond.model.events import (
    AnyEvent,
    CancelRequested,
    CheckpointSaved,
    Event,
    FinalAsked,
    LateReportKept,
    MessageStaged,
    NodeAdmitted,
    NodeReleased,
    NodeSettled,
    NodeStarted,
    ReportAccepted,
    RootOpened,
    SignSeen,
)
from subsessiond.model.ids import NodeId
from subsessiond.model.message import Message, MessageState, Source
from subsessiond.model.node import Phase, Status
from subsessiond.model.role import Delivery
from subsessiond.model.tree import Tree

AFTER_FINAL_MS = 10_000
"""How long a turn may run on after the child's final."""


def react(tree: Tree, event: AnyEvent) -> tuple[AnyEffect, ...]:
    """Name the effects of one durable event, on the tree that holds it."""
    ask = _REACTIONS.get(type(event))
    return ask(tree, event) if ask is not None else ()


def _line(tree: Tree, event: Event, line: int, kind: str, body: Any) -> AppendJournal:
    return AppendJournal(
        node=event.node,
        workspace=tree.nodes[event.node].workspace,
        line=line,
        kind=kind,
        at_ms=event.at_ms,
        body=to_builtins(body, str_keys=True),
    )


def _root_opened(tree: Tree, event: RootOpened) -> tuple[AnyEffect, ...]:
    return (_line(tree, event, 1, "opened", tree.nodes[event.node]),)


def _admitted(tree: Tree, event: NodeAdmitted) -> tuple[AnyEffect, ...]:
    line = _line(tree, event, 1, "admitted", tree.nodes[event.node])
    before = event.record.predecessor
    if before is not None and tree.nodes[before].status is not Status.RELEASED:
        # Why: the predecessor's claim is transferred, so its processes have to be gone first.
        return (line,)
    return (line, StartChild(node=event.node))


def _reported(tree: Tree, event: ReportAccepted) -> tuple[AnyEffect, ...]:
    return (_line(tree, event, event.line, "report", event.report),)


def _late(tree: Tree, event: LateReportKept) -> tuple[AnyEffect, ...]:
    return (_line(tree, event, event.line, "late", event.report),)


def _checkpoint(tree: Tree, event: CheckpointSaved) -> tuple[AnyEffect, ...]:
    return (_line(tree, event, event.line, "checkpoint", event.checkpoint),)


def _settled(tree: Tree, event: NodeSettled) -> tuple[AnyEffect, ...]:
    line = _line(tree, event, event.line, "settled", event.settlement)
    if tree.nodes[event.node].is_root:
        return (line,)
    if tree.nodes[event.node].leftovers:
        # Why: an earlier life of the daemon ran it, and what could be ended has been.
        return (line,)
    after = AFTER_FINAL_MS if runs_on(tree.nodes[event.node]) else 0
    return (line, StopChild(node=event.node, after_ms=after))


def _cancelled(tree: Tree, event: CancelRequested) -> tuple[AnyEffect, ...]:
    """Hurry those that sent their final and run on; the others are stopped by their settling."""
    below = unreleased_below(tree, event.node)
    return tuple(StopChild(node=name) for name in below if runs_on(tree.nodes[name]))


def _released(tree: Tree, event: NodeReleased) -> tuple[AnyEffect, ...]:
    node = tree.nodes[event.node]
    body = {"forced": event.forced, "byOperator": event.by_operator}
    line = _line(tree, event, node.journal_lines, "released", body)
    heir = tree.nodes.get(node.successor) if node.successor else None
    if heir is None or heir.status is not Status.CLAIMED:
        return (line,)
    return (line, StartChild(node=heir.node_id))


def _started(tree: Tree, event: NodeStarted) -> tuple[AnyEffect, ...]:
    """Say what was said to the node, and what it inherited, before it was up."""
    box = tree.mail.get(event.node, ())
    prompts = tuple(_prompt(m) for m in box if m.source is Source.STEER)
    return (*prompts, *_wake(event.node, box))


def _staged(tree: Tree, event: MessageStaged) -> tuple[AnyEffect, ...]:
    message = event.message
    if tree.nodes[event.node].status is not Status.RUNNING:
        # Why: one that starts is told when it is up; one that has ended hears nothing any more.
        return ()
    if message.source is Source.STEER:
        return (_prompt(message),)
    if message.delivery is Delivery.QUIET:
        return ()
    return (WakeReader(node=event.node),)


def _sign_seen(tree: Tree, event: SignSeen) -> tuple[AnyEffect, ...]:
    """Wake a node that ended its turn beside mail, quiet mail included."""
    if event.phase is not Phase.WAITING:
        return ()
    return _wake(event.node, tree.mail.get(event.node, ()))


def _prompt(message: Message) -> PromptChild:
    return PromptChild(node=message.recipient, message_id=message.message_id, text=message.text)


def _wake(node: NodeId, box: tuple[Message, ...]) -> tuple[AnyEffect, ...]:
    staged = any(m.source is not Source.STEER and m.state is MessageState.STAGED for m in box)
    return (WakeReader(node=node),) if staged else ()


def _final_asked(_: Tree, event: FinalAsked) -> tuple[AnyEffect, ...]:
    return (PromptChild(node=event.node, message_id=None, text=ASK_FINAL),)


_Ask = Callable[[Tree, Any], tuple[AnyEffect, ...]]
_REACTIONS: Final[Mapping[type[Event], _Ask]] = cast(
    "Mapping[type[Event], _Ask]",
    MappingProxyType(
        {
            RootOpened: _root_opened,
            NodeAdmitted: _admitted,
            ReportAccepted: _reported,
            LateReportKept: _late,
            CheckpointSaved: _checkpoint,
            NodeSettled: _settled,
            CancelRequested: _cancelled,
            NodeReleased: _released,
            NodeStarted: _started,
            MessageStaged: _staged,
            SignSeen: _sign_seen,
            FinalAsked: _final_asked,
        },
    ),
)
