"""Folds of what is said and seen: reports, checkpoints, mail, signs of life."""

from typing import Final

from msgspec.structs import replace

from subsessiond.core.bounds import cut_bytes
from subsessiond.core.change import change, node_at, sign
from subsessiond.core.indexes import put
from subsessiond.core.tally import most
from subsessiond.model.checkpoint import CheckpointMark
from subsessiond.model.events import (
    CheckpointSaved,
    Dismissed,
    FinalAsked,
    LateReportKept,
    MailForwarded,
    MessagesMoved,
    MessageStaged,
    RefusalNoted,
    ReportAccepted,
    SignSeen,
    SilenceMarked,
    UsageMeasured,
    UsageSeen,
    WrapUpAsked,
)
from subsessiond.model.message import Message, MessageState
from subsessiond.model.node import Node, Phase, Receipt
from subsessiond.model.report import Stage
from subsessiond.model.tree import Tree

RECEIPTS_KEPT: Final = 50


def report_accepted(tree: Tree, event: ReportAccepted) -> Tree:
    """Count a report, keep its receipt, and keep it whole where it may be promoted."""
    node, report = node_at(tree, event.node), event.report
    return change(
        tree,
        event,
        reports=node.reports + 1,
        findings=node.findings + (report.stage is Stage.FINDING),
        messages=node.messages + 1,
        journal_lines=event.line,
        receipts=_receipts(node, event),
        newest=report,
        last_report=node.last_report if report.explicit else report,
        promotable=node.promotable if report.explicit else event.promotable,
        progress_level=event.progress_level,
        progress_awake_ms=event.awake_ms,
        **sign(node, event, "report"),
    )


def _receipts(node: Node, event: ReportAccepted) -> tuple[Receipt, ...]:
    """Keep the receipt of what can be repeated: a report with a key, and the final.

    Why no others: nothing would ever find them, and every commit of the node would carry them.
    """
    is_final = event.report.stage is Stage.FINAL
    if event.report.key is None and not is_final:
        return node.receipts
    receipt = Receipt(
        message_id=event.message_id,
        fingerprint=event.fingerprint,
        key=event.report.key,
        is_final=is_final,
    )
    return (*node.receipts, receipt)[-RECEIPTS_KEPT:]


def late_report_kept(tree: Tree, event: LateReportKept) -> Tree:
    """Count what came after the end."""
    node = node_at(tree, event.node)
    return change(tree, event, late_reports=node.late_reports + 1, journal_lines=event.line)


def checkpoint_saved(tree: Tree, event: CheckpointSaved) -> Tree:
    """Point at the newest checkpoint."""
    mark = CheckpointMark(
        line=event.line,
        phase=cut_bytes(event.checkpoint.phase, 200),
        next_step=cut_bytes(event.checkpoint.next_step, 400),
        at_ms=event.at_ms,
    )
    signs = sign(node_at(tree, event.node), event, "checkpoint")
    return change(tree, event, checkpoint=mark, journal_lines=event.line, **signs)


def message_staged(tree: Tree, event: MessageStaged) -> Tree:
    """Put a message into its mailbox and count it at whoever caused it."""
    message = replace(event.message, seq=event.seq, at_ms=event.at_ms)
    box = (*tree.mail.get(event.node, ()), message)
    tree = replace(tree, mail=tree.mail.set(event.node, box))
    if event.caused_by is None:
        return tree
    cause = node_at(tree, event.caused_by)
    # Why: a report took its number when it was accepted; every other message takes the next one.
    number = int(message.message_id.rpartition(".")[2])
    is_progress = message.stage is Stage.PROGRESS
    counted = replace(
        cause,
        seq=event.seq,
        messages=max(cause.messages, number),
        progress=cause.progress + is_progress,
    )
    return put(tree, counted)


_GONE: Final = (MessageState.ACKNOWLEDGED, MessageState.SUPERSEDED, MessageState.UNDELIVERABLE)
_HANDED: Final = (MessageState.ACKNOWLEDGED, MessageState.DELIVERED)


def messages_moved(tree: Tree, event: MessagesMoved) -> Tree:
    """Move messages on; those that are over leave the mailbox."""
    box = tree.mail.get(event.node, ())
    moved = frozenset(event.message_ids)
    if event.state is MessageState.SUPERSEDED:
        tree = _uncount_progress(tree, tuple(m for m in box if m.message_id in moved))
    if event.state in _GONE:
        kept = tuple(m for m in box if m.message_id not in moved)
    else:
        kept = tuple(_moved(m, event.state) if m.message_id in moved else m for m in box)
    mail = tree.mail.set(event.node, kept) if kept else tree.mail.delete(event.node)
    tree = replace(tree, mail=mail)
    return _end_waiting(tree, event) if event.state in _HANDED else tree


def _moved(message: Message, state: MessageState) -> Message:
    """Move one message; one that is put back was handed over before."""
    again = message.again or state is MessageState.STAGED
    return replace(message, state=state, again=again)


def _end_waiting(tree: Tree, event: MessagesMoved) -> Tree:
    """Let the silence clock of a waiting node begin anew when it is handed what it waited for."""
    node = node_at(tree, event.node)
    if node.phase is not Phase.WAITING:
        return tree
    # Why unnumbered: the phase is telemetry, and what is stored must not depend on it.
    return put(tree, replace(node, phase=Phase.WORKING, sign_awake_ms=event.awake_ms))


def _uncount_progress(tree: Tree, superseded: tuple[Message, ...]) -> Tree:
    for message in superseded:
        assert message.sender is not None
        node = node_at(tree, message.sender)
        tree = put(tree, replace(node, progress=node.progress - 1))
    return tree


def mail_forwarded(tree: Tree, event: MailForwarded) -> Tree:
    """Hand a mailbox over along the line of succession, behind what lies there already."""
    moved = tuple(replace(m, recipient=event.to) for m in tree.mail.get(event.node, ()))
    box = (*tree.mail.get(event.to, ()), *moved)
    return replace(tree, mail=tree.mail.delete(event.node).set(event.to, box))


def final_asked(tree: Tree, event: FinalAsked) -> Tree:
    """Remember that the child was asked, once."""
    signs = sign(node_at(tree, event.node), event, "turn-end")
    return change(tree, event, asked_for_final=True, **signs)


def wrap_up_asked(tree: Tree, event: WrapUpAsked) -> Tree:
    """Remember that the node was asked to come to its end, once."""
    return change(tree, event, wrapped_up=True)


def dismissed(tree: Tree, event: Dismissed) -> Tree:
    """Take a node out of the blocked queue."""
    return change(tree, event, dismissed=True)


def silence_marked(tree: Tree, event: SilenceMarked) -> Tree:
    """Take the first of the two steps of retirement."""
    return change(tree, event, marked_silent=True)


def sign_seen(tree: Tree, event: SignSeen) -> Tree:
    """Note a sign of life, and the phase where one is named."""
    signs = sign(node_at(tree, event.node), event, event.sign)
    if event.phase is not None:
        signs["phase"] = event.phase
    return change(tree, event, **signs)


def usage_seen(tree: Tree, event: UsageSeen) -> Tree:
    """Raise a node's figures; none of them falls."""
    return _raise_figures(tree, event)


def usage_measured(tree: Tree, event: UsageMeasured) -> Tree:
    """Raise a node's figures for good."""
    tree = _raise_figures(tree, event)
    return change(tree, event, measured_awake_ms=event.awake_ms)


def _raise_figures(tree: Tree, event: UsageSeen | UsageMeasured) -> Tree:
    node = node_at(tree, event.node)
    # Why not while it waits: figures of a turn are told after its end, and nobody works then.
    lives = node.is_live and node.phase is not Phase.WAITING
    signs = sign(node, event, "tokens") if lives else {}
    return change(tree, event, measured=most(node.measured, event.usage), **signs)


def refusal_noted(tree: Tree, event: RefusalNoted) -> Tree:
    """Count a call that the guard turned away, or a final that was refused."""
    node = node_at(tree, event.node)
    if event.final:
        return change(tree, event, final_refusals=node.final_refusals + 1)
    return change(tree, event, refusals=node.refusals + 1)
