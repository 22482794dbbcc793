"""Nodes as their journals remember them: enough to go on when the registry is lost."""

from msgspec import MsgspecError, convert
from msgspec.structs import replace

from subsessiond.model.checkpoint import Checkpoint, CheckpointMark
from subsessiond.model.node import Node, Settlement, Status
from subsessiond.model.report import Report, Stage
from subsessiond.ports import JournalRecord

_FIRST_KINDS = ("opened", "admitted")
_MESSAGES_A_LINE = 4
"""Numbers of messages may be skipped and never given twice; no line causes as many as this."""


def node_from(records: tuple[JournalRecord, ...]) -> Node | None:
    """Fold a journal into the node it is of; none when its first line is gone.

    Damaged lines are read past. The node is as its last whole line says: without a `settled` line
    it is live, and recovery will settle it.
    """
    born = next((r for r in records if r.kind in _FIRST_KINDS and not r.damaged), None)
    if born is None:
        return None
    try:
        node = convert(born.body, Node)
    except MsgspecError:
        return None
    for record in records:
        if not record.damaged:
            node = _fold(node, record)
    lines = records[-1].n
    return replace(node, journal_lines=lines, messages=_MESSAGES_A_LINE * lines)


def _fold(node: Node, record: JournalRecord) -> Node:
    try:
        match record.kind:
            case "checkpoint":
                return _with_checkpoint(node, record)
            case "report":
                return _with_report(node, convert(record.body, Report))
            case "settled":
                said = convert(record.body, Settlement)
                return replace(
                    node,
                    status=Status.SETTLED,
                    settlement=said,
                    measured=said.measured,
                    settled_at_ms=record.at_ms,
                    newest=None,
                    last_report=None,
                )
            case "released":
                return replace(
                    node,
                    status=Status.RELEASED,
                    released_at_ms=record.at_ms,
                    forced=bool(record.body.get("forced")),
                )
            case _:
                return node
    except MsgspecError:
        return node


def _with_checkpoint(node: Node, record: JournalRecord) -> Node:
    checkpoint = convert(record.body, Checkpoint)
    mark = CheckpointMark(
        line=record.n,
        phase=_cut(checkpoint.phase, 200),
        next_step=_cut(checkpoint.next_step, 400),
        at_ms=record.at_ms,
    )
    return replace(node, checkpoint=mark)


def _with_report(node: Node, report: Report) -> Node:
    return replace(
        node,
        reports=node.reports + 1,
        findings=node.findings + (report.stage is Stage.FINDING),
        newest=report,
        last_report=None if report.explicit else report,
    )


def _cut(text: str, limit_bytes: int) -> str:
    return text.encode()[:limit_bytes].decode(errors="ignore")
