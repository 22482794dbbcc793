"""Nodes as their journals remember them: enough to go on when the registry is lost."""

from collections.abc import Iterable

from msgspec import MsgspecError, convert
from msgspec.structs import replace

from subsessiond.model.checkpoint import Checkpoint, CheckpointMark
from subsessiond.model.node import Node, Settlement, Status
from subsessiond.model.report import Report, Stage
from subsessiond.ports import JournalRecord

_FIRST_KINDS = ("opened", "admitted")
_MESSAGES_A_LINE = 4
"""Numbers of messages may be skipped and never given twice; no line causes as many as this."""


def node_from(records: Iterable[JournalRecord]) -> Node | None:
    """Fold a journal into the node it is of; none when its first line is gone.

    Damaged lines are read past. The node is as its last whole line says: without a `settled` line
    it is live, and recovery will settle it. Each record is let go before the next is taken: a
    journal may be far larger than what it comes to.
    """
    node: Node | None = None
    lines = 0
    for record in records:
        lines = record.n
        if record.damaged:
            continue
        if node is not None:
            node = _fold(node, record)
        elif record.kind in _FIRST_KINDS and (node := _born(record)) is None:
            return None
    if node is None:
        return None
    return replace(node, journal_lines=lines, messages=_MESSAGES_A_LINE * lines)


def _born(record: JournalRecord) -> Node | None:
    try:
        return convert(record.body, Node)
    except MsgspecError:
        return None


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
