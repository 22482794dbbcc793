"""How mail is framed: what a parent or a child is shown of what another said."""

import json
from typing import Any

from subsessiond.model.ids import MessageId, NodeId
from subsessiond.model.node import Settlement
from subsessiond.model.report import Report


def report_line(report: Report, disputed: str | None = None) -> str:
    """Make the compact JSON line that follows a report's output; empty when nothing is present."""
    fields: dict[str, Any] = {
        "outcome": report.outcome,
        "structured": report.structured,
        "sections": report.sections,
        "blockers": list(report.blockers) or None,
        "openQuestions": list(report.open_questions) or None,
        "files": list(report.files) or None,
        "disputed": disputed,
    }
    present = {name: value for name, value in fields.items() if value is not None}
    return compact(present) if present else ""


def compact(value: Any) -> str:
    """Write JSON without spaces, text as it is."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def frame_report(child: NodeId, report: Report) -> str:
    """Frame a report as its parent is shown it."""
    line = report_line(report)
    parts = (f"Background subagent {child} reported:", report.output, line)
    return "\n".join(part for part in parts if part)


def frame_settled(child: NodeId, settlement: Settlement) -> str:
    """Frame the runtime's own notice that a child settled, never credited to the child."""
    head = (
        f"Background subagent {child} settled {settlement.outcome} ({settlement.reason}). "
        "The runtime wrote this, not the child."
    )
    return f"{head}\n{settlement.output}" if settlement.output else head


def frame_unread(child: NodeId, message: MessageId) -> str:
    """Tell a sender that its message was not read."""
    return f"Background subagent {child} settled before it read your message {message}."


def frame_succeeded(child: NodeId, successor: NodeId) -> str:
    """Tell a parent that a person had its child succeeded."""
    return f"The operator started {successor} as the successor of your background subagent {child}."


def frame_steer(text: str) -> str:
    """Frame what a parent or the operator says to a running child."""
    return f"Message from the agent that started you:\n{text}"
