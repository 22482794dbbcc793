"""`evolve` remembers: one event, one new tree. It never refuses; what cannot be is a bug."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, cast

from msgspec.structs import replace

from subsessiond.core.bounds import cut_bytes
from subsessiond.core.indexes import put
from subsessiond.core.lifecycle import InvariantViolationError, next_status
from subsessiond.model.checkpoint import CheckpointMark
from subsessiond.model.events import (
    AnyEvent,
    CancelRequested,
    CheckpointSaved,
    Dismissed,
    Event,
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
    RootOpened,
    RootResumed,
    SignSeen,
    SilenceMarked,
)
from subsessiond.model.ids import NodeId
from subsessiond.model.message import MessageState
from subsessiond.model.node import Node, Phase, Receipt, Status
from subsessiond.model.report import Stage
from subsessiond.model.tree import KeyRecord, Tree

RECEIPTS_KEPT = 50


def evolve(tree: Tree, event: AnyEvent) -> Tree:
    """Fold one event into the tree.

    Raises:
        InvariantViolationError: the event speaks of something that cannot be.
    """
    grown = _FOLDS[type(event)](tree, event)
    return replace(grown, seq=event.seq) if event.durable else grown


def _at(tree: Tree, node_id: NodeId) -> Node:
    node = tree.nodes.get(node_id)
    if node is None:
        message = f"an event speaks of {node_id}, which is not in the tree"
        raise InvariantViolationError(message)
    return node


def _change(tree: Tree, event: Event, **changes: Any) -> Tree:
    """Change the event's node and stamp it with the event's number."""
    if event.durable:
        changes["seq"] = event.seq
    return put(tree, replace(_at(tree, event.node), **changes))


def _sign(event: Event, word: str) -> dict[str, Any]:
    return {
        "last_sign_ms": event.at_ms,
        "last_sign": word,
        "sign_awake_ms": event.awake_ms,
        "marked_silent": False,
    }


def _root_opened(tree: Tree, event: RootOpened) -> Tree:
    status = next_status(None, event)
    return put(tree, replace(event.record, status=status, seq=event.seq, journal_lines=1))


def _root_resumed(tree: Tree, event: RootResumed) -> Tree:
    changes: dict[str, Any] = {"token_hash": event.token_hash} if event.token_hash else {}
    return _change(tree, event, identity=event.agent, **changes)


def _node_admitted(tree: Tree, event: NodeAdmitted) -> Tree:
    record = event.record
    status = next_status(None, event)
    tree = put(tree, replace(record, status=status, seq=event.seq, journal_lines=1))
    tree = replace(tree, pace=tree.pace.set(record.root, event.pace_ms))
    if record.predecessor is not None:
        before = replace(_at(tree, record.predecessor), successor=event.node, seq=event.seq)
        tree = put(tree, before)
    if record.grant.tokens:
        tree = _raise_caps(tree, record, event.seq)
    if record.key is not None and record.parent is not None:
        known = KeyRecord(
            owner=record.parent,
            key=record.key,
            fingerprint=event.fingerprint,
            node_id=event.node,
        )
        tree = replace(tree, keys=tree.keys.set((record.parent, record.key), known))
    return tree


def _raise_caps(tree: Tree, record: Node, seq: int) -> Tree:
    """Raise every ancestor's cap by the tokens an operator granted."""
    parent = record.parent
    while parent is not None:
        node = _at(tree, parent)
        tree = put(tree, replace(node, token_cap=node.token_cap + record.grant.tokens, seq=seq))
        parent = node.parent
    return tree


def _process_noted(tree: Tree, event: ProcessNoted) -> Tree:
    return _change(tree, event, identity=event.identity)


def _node_started(tree: Tree, event: NodeStarted) -> Tree:
    node = _at(tree, event.node)
    return _change(
        tree,
        event,
        status=next_status(node.status, event),
        started_at_ms=event.at_ms,
        identity=event.identity or node.identity,
        phase=Phase.WORKING,
        **_sign(event, "start"),
    )


def _report_accepted(tree: Tree, event: ReportAccepted) -> Tree:
    node = _at(tree, event.node)
    report = event.report
    receipt = Receipt(
        message_id=event.message_id,
        fingerprint=event.fingerprint,
        key=report.key,
        is_final=report.stage is Stage.FINAL,
    )
    return _change(
        tree,
        event,
        reports=node.reports + 1,
        findings=node.findings + (report.stage is Stage.FINDING),
        messages=node.messages + 1,
        journal_lines=event.line,
        receipts=(*node.receipts, receipt)[-RECEIPTS_KEPT:],
        last_report=None if report.explicit else report,
        progress_level=event.progress_level,
        progress_awake_ms=event.awake_ms,
        **_sign(event, "report"),
    )


def _late_report_kept(tree: Tree, event: LateReportKept) -> Tree:
    node = _at(tree, event.node)
    return _change(tree, event, late_reports=node.late_reports + 1, journal_lines=event.line)


def _checkpoint_saved(tree: Tree, event: CheckpointSaved) -> Tree:
    mark = CheckpointMark(
        line=event.line,
        phase=cut_bytes(event.checkpoint.phase, 200),
        next_step=cut_bytes(event.checkpoint.next_step, 400),
        at_ms=event.at_ms,
    )
    signs = _sign(event, "checkpoint")
    return _change(tree, event, checkpoint=mark, journal_lines=event.line, **signs)


def _message_staged(tree: Tree, event: MessageStaged) -> Tree:
    message = replace(event.message, seq=event.seq, at_ms=event.at_ms)
    box = (*tree.mail.get(event.node, ()), message)
    tree = replace(tree, mail=tree.mail.set(event.node, box))
    if event.caused_by is not None:
        cause = _at(tree, event.caused_by)
        changes: dict[str, Any] = {"seq": event.seq}
        if not message.message_id.endswith(f".{cause.messages}"):
            changes["messages"] = cause.messages + 1
        if message.stage is Stage.PROGRESS:
            changes["progress"] = cause.progress + 1
        tree = put(tree, replace(cause, **changes))
    return tree


_GONE = (MessageState.ACKNOWLEDGED, MessageState.SUPERSEDED, MessageState.UNDELIVERABLE)


def _messages_moved(tree: Tree, event: MessagesMoved) -> Tree:
    box = tree.mail.get(event.node, ())
    moved = frozenset(event.message_ids)
    if event.state is MessageState.SUPERSEDED:
        tree = _uncount_progress(tree, tuple(m.sender for m in box if m.message_id in moved))
    if event.state in _GONE:
        kept = tuple(m for m in box if m.message_id not in moved)
    else:
        kept = tuple(replace(m, state=event.state) if m.message_id in moved else m for m in box)
    mail = tree.mail.set(event.node, kept) if kept else tree.mail.delete(event.node)
    return replace(tree, mail=mail)


def _uncount_progress(tree: Tree, senders: tuple[NodeId | None, ...]) -> Tree:
    for sender in senders:
        if sender is not None:
            node = _at(tree, sender)
            tree = put(tree, replace(node, progress=node.progress - 1))
    return tree


def _mail_forwarded(tree: Tree, event: MailForwarded) -> Tree:
    moved = tuple(replace(m, recipient=event.to) for m in tree.mail.get(event.node, ()))
    mail = tree.mail.delete(event.node) if event.node in tree.mail else tree.mail
    box = (*mail.get(event.to, ()), *moved)
    return replace(tree, mail=mail.set(event.to, box) if box else mail)


def _node_settled(tree: Tree, event: NodeSettled) -> Tree:
    node = _at(tree, event.node)
    tree = _change(
        tree,
        event,
        status=next_status(node.status, event),
        settlement=event.settlement,
        settled_at_ms=event.at_ms,
        journal_lines=event.line or node.journal_lines,
        phase=Phase.STOPPING,
        last_report=None,
    )
    if event.settlement.reason == "start-failed":
        tree = _undo_admission(tree, node, event.seq)
    return tree


def _undo_admission(tree: Tree, node: Node, seq: int) -> Tree:
    """A start that surely did not happen frees its key and its place in the line."""
    if node.key is not None and node.parent is not None:
        tree = replace(tree, keys=tree.keys.delete((node.parent, node.key)))
    if node.predecessor is not None:
        before = _at(tree, node.predecessor)
        tree = put(tree, replace(before, successor=None, seq=seq))
    return tree


def _node_released(tree: Tree, event: NodeReleased) -> Tree:
    node = _at(tree, event.node)
    tree = _change(
        tree,
        event,
        status=next_status(node.status, event),
        released_at_ms=event.at_ms,
        forced=node.forced or event.forced,
        leftovers=(),
        journal_lines=node.journal_lines + 1,
    )
    heir = tree.nodes.get(node.successor) if node.successor else None
    if heir is not None and heir.status is Status.CLAIMED:
        # Why: the successor's start clock begins when its predecessor is gone.
        tree = put(tree, replace(heir, sign_awake_ms=event.awake_ms))
    return tree


def _leftovers_found(tree: Tree, event: LeftoversFound) -> Tree:
    return _change(tree, event, leftovers=event.leftovers, forced=event.forced)


def _cancel_requested(tree: Tree, event: CancelRequested) -> Tree:
    return _change(tree, event, stopping=True)


def _final_asked(tree: Tree, event: FinalAsked) -> Tree:
    return _change(tree, event, asked_for_final=True, **_sign(event, "turn-end"))


def _dismissed(tree: Tree, event: Dismissed) -> Tree:
    return _change(tree, event, dismissed=True)


def _silence_marked(tree: Tree, event: SilenceMarked) -> Tree:
    return _change(tree, event, marked_silent=True)


def _sign_seen(tree: Tree, event: SignSeen) -> Tree:
    changes = _sign(event, event.sign)
    if event.phase is not None:
        changes["phase"] = event.phase
    return _change(tree, event, **changes)


def _refusal_noted(tree: Tree, event: RefusalNoted) -> Tree:
    return _change(tree, event, refusals=_at(tree, event.node).refusals + 1)


_Fold = Callable[[Tree, Any], Tree]
_FOLDS: Final[Mapping[type[Event], _Fold]] = cast(
    "Mapping[type[Event], _Fold]",
    MappingProxyType(
        {
            RootOpened: _root_opened,
            RootResumed: _root_resumed,
            NodeAdmitted: _node_admitted,
            ProcessNoted: _process_noted,
            NodeStarted: _node_started,
            ReportAccepted: _report_accepted,
            LateReportKept: _late_report_kept,
            CheckpointSaved: _checkpoint_saved,
            MessageStaged: _message_staged,
            MessagesMoved: _messages_moved,
            MailForwarded: _mail_forwarded,
            NodeSettled: _node_settled,
            NodeReleased: _node_released,
            LeftoversFound: _leftovers_found,
            CancelRequested: _cancel_requested,
            FinalAsked: _final_asked,
            Dismissed: _dismissed,
            SilenceMarked: _silence_marked,
            SignSeen: _sign_seen,
            RefusalNoted: _refusal_noted,
        },
    ),
)
