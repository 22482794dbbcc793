"""How a node settles: once, with everything below it, and its parent told exactly once."""

from msgspec.structs import replace

from subsessiond.core.bounds import one_line
from subsessiond.core.draft import Draft
from subsessiond.core.lifecycle import never_ran
from subsessiond.core.mail import give_back, return_unread, supersede_progress
from subsessiond.core.words import frame_report, frame_settled
from subsessiond.model.events import NodeSettled
from subsessiond.model.ids import MessageId, NodeId
from subsessiond.model.message import Message, Source
from subsessiond.model.node import Author, Node, Settlement, StopReason
from subsessiond.model.report import Outcome, Report, Stage

REASON_BYTES = 64
"""A reason is a word; a parent is shown it, so not even a runner may say more."""

STOP_REASONS = (
    (Outcome.COMPLETED, StopReason.COMPLETED),
    (Outcome.BLOCKED, StopReason.COMPLETED),
    (Outcome.CANCELLED, StopReason.ABORTED),
    (Outcome.ORPHANED, StopReason.ABORTED),
    (Outcome.FAILED, StopReason.ERROR),
)


def settle(
    draft: Draft,
    node_id: NodeId,
    settlement: Settlement,
    said_as: MessageId | None = None,
) -> None:
    """Settle a live node: supersede its progress, tell its parent, orphan what is below.

    `said_as` names the message when the child's own report already has a name.
    """
    node = draft.node(node_id)
    supersede_progress(draft, node)
    reason = one_line(settlement.reason, REASON_BYTES)
    said = replace(settlement, reason=reason, measured=node.measured)
    message = _final_message(draft, node, said, said_as)
    if message is not None:
        said = replace(said, message_id=message.message_id)
    line = node.journal_lines + 1
    draft.add(NodeSettled, node_id, settlement=said, line=line)
    if message is not None:
        draft.stage(node_id, message)
    return_unread(draft, node_id)
    orphan_below(draft, node_id)
    if never_ran(node, said):
        give_back(draft, node)


def settle_by_runtime(
    draft: Draft,
    node_id: NodeId,
    outcome: Outcome,
    reason: str,
    *,
    output: str = "",
    diagnostic: str | None = None,
) -> None:
    """Settle a node in the runtime's words."""
    settlement = Settlement(
        outcome=outcome,
        stop_reason=dict(STOP_REASONS)[outcome],
        reason=reason,
        author=Author.RUNTIME,
        output=output,
        diagnostic=diagnostic,
    )
    settle(draft, node_id, settlement)


def settlement_of(report: Report, reason: str) -> Settlement:
    """Make the terminal record out of a child's own last report."""
    outcome = report.outcome or Outcome.COMPLETED
    return Settlement(
        outcome=outcome,
        stop_reason=dict(STOP_REASONS)[outcome],
        reason=reason,
        author=Author.CHILD,
        output=report.output,
        structured=report.structured,
        sections=report.sections,
        blockers=report.blockers,
        open_questions=report.open_questions,
        files=report.files,
        key=report.key,
    )


def orphan_below(draft: Draft, node_id: NodeId) -> None:
    """Settle every live node below as orphaned, children before their own children."""
    for child in draft.tree.children.get(node_id, ()):
        if draft.node(child).is_live:
            settle_by_runtime(draft, child, Outcome.ORPHANED, "parent-settled")


def _final_message(
    draft: Draft, node: Node, settlement: Settlement, said_as: MessageId | None
) -> Message | None:
    """Make the one settling message; an orphan of an orphan gives none."""
    if node.parent is None:
        return None
    parent = draft.node(node.parent)
    if parent.settlement is not None and parent.settlement.outcome is Outcome.ORPHANED:
        return None
    by_child = settlement.author is Author.CHILD
    return Message(
        message_id=said_as or draft.next_message(node.node_id),
        recipient=node.parent,
        sender=node.node_id,
        source=Source.REPORT if by_child else Source.SETTLED,
        text=_text(node, settlement) if by_child else frame_settled(node.node_id, settlement),
        stage=Stage.FINAL,
    )


def _text(node: Node, settlement: Settlement) -> str:
    said = Report(
        stage=Stage.FINAL,
        output=settlement.output,
        outcome=settlement.outcome,
        structured=settlement.structured,
        sections=settlement.sections,
        blockers=settlement.blockers,
        open_questions=settlement.open_questions,
        files=settlement.files,
    )
    return frame_report(node.node_id, said)
