"""`report`: a child speaks. Size is judged before shape, so that size is never traded away."""

from collections.abc import Callable

from subsessiond.core.bounds import bytes_of_tokens
from subsessiond.core.draft import Draft, refuse
from subsessiond.core.mail import supersede_progress
from subsessiond.core.settle import settle, settle_by_runtime, settlement_of
from subsessiond.core.words import WRITE_A_FILE, accepted, counted, final_refused, frame_report
from subsessiond.model.base import Value
from subsessiond.model.commands import SubmitReport
from subsessiond.model.decision import Accepted, Decided
from subsessiond.model.events import LateReportKept, RefusalNoted, ReportAccepted
from subsessiond.model.ids import message_id
from subsessiond.model.message import Message, Source
from subsessiond.model.node import Node, Receipt
from subsessiond.model.policy import Policy
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.report import MalformedReport, Outcome, Report, Stage
from subsessiond.model.role import Delivery
from subsessiond.model.tree import Tree

LATE_KEPT = 10
"""Late reports kept in the journal of one node; enough to see what was said, bounded for ever."""


FINALS_REFUSED = 20
"""Refused finals of one node; who has not found a fit one by then goes in circles."""


class ReportCase(Value, frozen=True, kw_only=True):
    """What the checks look at."""

    tree: Tree
    policy: Policy
    command: SubmitReport
    node: Node

    @property
    def report(self) -> Report | None:
        """The report, when it has a valid shape."""
        return self.command.report if isinstance(self.command.report, Report) else None


Check = Callable[[ReportCase], Rejection | None]


def decide_report(tree: Tree, policy: Policy, command: SubmitReport) -> Decided | Rejection:
    """Accept a report, or say by which step it is refused."""
    node = tree.nodes.get(command.node)
    if node is None or node.is_root or command.caller.node_id != command.node:
        detail = "only the node itself reports"
        return Rejection(code=Code.NOT_ALLOWED, step="caller", detail=detail)
    case = ReportCase(tree=tree, policy=policy, command=command, node=node)
    draft = Draft(tree, policy, command)
    for check in CHECKS:
        if rejection := check(case):
            return _refused(draft, case, rejection)
        if check is check_output_schema and (receipt := _earlier(case)):
            return draft.done(_again(receipt))
    if rejection := _check_live(case, draft):
        return draft.done(rejection)
    if rejection := check_children(case):
        return rejection
    return _accept(draft, case)


def _refused(draft: Draft, case: ReportCase, rejection: Rejection) -> Decided | Rejection:
    """Refuse. A model may mend its final and send it again, but not for ever."""
    node = case.node
    if not node.is_live or not _is_final(case):
        return rejection
    draft.add(RefusalNoted, node.node_id, final=True)
    if draft.node(node.node_id).final_refusals >= FINALS_REFUSED:
        said = final_refused(rejection, FINALS_REFUSED)
        settle_by_runtime(draft, node.node_id, Outcome.FAILED, "final-refused", output=said)
    return refuse(draft, rejection)


def _is_final(case: ReportCase) -> bool:
    report = case.command.report
    if isinstance(report, MalformedReport):
        return report.is_final
    return report.stage is Stage.FINAL


PROMOTED_BYTES = len('{"outcome":"completed"}')
"""What a report without a stage grows by when it is promoted; its limit is lower by that."""


def check_size(case: ReportCase) -> Rejection | None:
    """Refuse what is larger than its contract, whatever else is wrong with it."""
    limit = bytes_of_tokens(_limit_tokens(case)) - (PROMOTED_BYTES if _unnamed(case) else 0)
    if case.command.size_bytes <= limit:
        return None
    return Rejection(
        code=Code.REPORT_TOO_LARGE,
        step="size",
        detail=WRITE_A_FILE,
        limit=limit,
        actual=case.command.size_bytes,
    )


def _unnamed(case: ReportCase) -> bool:
    return case.report is not None and not case.report.explicit


def _limit_tokens(case: ReportCase) -> int:
    report = case.report
    if report is not None and report.stage is Stage.PROGRESS and report.explicit:
        return min(case.policy.limits.progress_tokens, case.node.max_report_tokens)
    return case.node.max_report_tokens


def check_shape(case: ReportCase) -> Rejection | None:
    """Refuse what has bad fields, all of them named."""
    if not isinstance(case.command.report, MalformedReport):
        return None
    return Rejection(code=Code.REPORT_INVALID, step="shape", fields=case.command.report.faults)


def check_sections(case: ReportCase) -> Rejection | None:
    """Refuse a completed final that lacks sections its contract requires."""
    missing = _missing(case)
    if not missing or not _completes(case):
        return None
    detail = ", ".join(missing)
    return Rejection(code=Code.REPORT_CONTRACT, step="sections", detail=detail, paths=missing)


def _missing(case: ReportCase) -> tuple[str, ...]:
    given = (case.report.sections if case.report else None) or {}
    return tuple(section for section in case.node.required_sections if section not in given)


def _completes(case: ReportCase) -> bool:
    """Tell whether it is a completed final: all else may fall short of the contract."""
    report = case.report
    final = report is not None and report.stage is Stage.FINAL
    return final and report is not None and report.outcome is Outcome.COMPLETED


def check_output_schema(case: ReportCase) -> Rejection | None:
    """Refuse a completed final whose structured part the edge found unfit for the schema."""
    if case.command.schema_fault is None or not _completes(case):
        return None
    return Rejection(code=Code.OUTPUT_SCHEMA, step="schema", detail=case.command.schema_fault)


def check_children(case: ReportCase) -> Rejection | None:
    """Refuse a completed final while children live: models say they are done too early."""
    if case.report is None or case.report.end_children or not _completes(case):
        return None
    children = case.tree.children.get(case.node.node_id, ())
    live = tuple(child for child in children if case.tree.nodes[child].is_live)
    if not live:
        return None
    return Rejection(code=Code.CHILDREN_LIVE, step="children", actual=len(live), paths=live[:25])


CHECKS: tuple[Check, ...] = (check_size, check_shape, check_sections, check_output_schema)
"""The order in which a report is judged before the node's own state is."""


def _earlier(case: ReportCase) -> Receipt | None:
    """Find the first answer to the same report: by key, and for finals by content too."""
    report = case.report
    assert report is not None
    for receipt in case.node.receipts:
        if receipt.is_final is not (report.stage is Stage.FINAL):
            # Why: a key of an earlier report used again must not swallow the final.
            continue
        by_key = report.key is not None and receipt.key == report.key
        if by_key or (receipt.is_final and receipt.fingerprint == case.command.fingerprint):
            return receipt
    return None


def _again(receipt: Receipt) -> Accepted:
    return Accepted(
        message_id=receipt.message_id,
        text=accepted(receipt.message_id),
        already=True,
    )


def _check_live(case: ReportCase, draft: Draft) -> Rejection | None:
    """Refuse what comes after the end; keep the first few such reports in the journal."""
    node = case.node
    if node.is_live:
        return None
    if case.report is not None and node.late_reports < LATE_KEPT:
        line = node.journal_lines + 1
        draft.add(LateReportKept, node.node_id, report=case.report, line=line)
    settlement = node.settlement
    if settlement is not None and settlement.outcome is Outcome.ORPHANED:
        return Rejection(code=Code.REPORT_UNDELIVERABLE, step="live")
    return Rejection(code=Code.NODE_SETTLED, step="live")


def _accept(draft: Draft, case: ReportCase) -> Decided:
    report, node = case.report, case.node
    assert report is not None
    message = draft.next_message(node.node_id)
    level, on_pace = _pace(case)
    draft.add(
        ReportAccepted,
        node.node_id,
        report=report,
        message_id=message,
        fingerprint=case.command.fingerprint,
        line=node.journal_lines + 1,
        progress_level=level,
        promotable=_promotable(case),
    )
    if report.stage is Stage.FINAL:
        settle(draft, node.node_id, settlement_of(report, "final-report"), message)
        return draft.done(Accepted(message_id=message, text=accepted(message)))
    if not _deliver(draft, case, report, on_pace=on_pace):
        return draft.done(Accepted(message_id=message, text=counted(message)))
    return draft.done(Accepted(message_id=message, text=accepted(message)))


def _promotable(case: ReportCase) -> bool:
    return _unnamed(case) and case.command.schema_fault is None and not _missing(case)


def _pace(case: ReportCase) -> tuple[int, bool]:
    """Count one progress report against its bucket: a burst, then one per interval.

    Returns:
        The level after it, in milliseconds, and whether it is on pace: one that is not takes the
        place of those that wait, and adds nothing.
    """
    limits, node, report = case.policy.limits, case.node, case.report
    since = max(0, case.command.awake_ms - node.progress_awake_ms)
    level = max(0, node.progress_level - since)
    if report is None or report.stage is not Stage.PROGRESS:
        return level, True
    more = level + limits.progress_interval_ms
    on_pace = more <= limits.progress_burst * limits.progress_interval_ms
    return (more if on_pace else level), on_pace


def _deliver(draft: Draft, case: ReportCase, report: Report, *, on_pace: bool) -> bool:
    """Stage progress or a finding for the parent, within what may be delivered."""
    limits, node = case.policy.limits, draft.node(case.node.node_id)
    assert node.parent is not None
    if report.stage is Stage.PROGRESS:
        if not on_pace:
            supersede_progress(draft, node)
            node = draft.node(node.node_id)
        if node.progress >= limits.progress_delivered:
            return False
    elif node.findings > limits.findings_delivered:
        return False
    draft.stage(node.node_id, _message(node, report))
    return True


def _message(node: Node, report: Report) -> Message:
    assert node.parent is not None
    quiet = report.stage is Stage.PROGRESS or (
        node.role is not None and node.role.report_delivery is Delivery.QUIET
    )
    return Message(
        message_id=message_id(node.node_id, node.messages),
        recipient=node.parent,
        sender=node.node_id,
        source=Source.REPORT,
        text=frame_report(node.node_id, report),
        delivery=Delivery.QUIET if quiet else Delivery.NEXT_STEP,
        stage=report.stage,
    )
