"""Every text that a model reads. Nothing here holds a time, and only frames hold ids.

Why one module: a model's prompt cache and its habits depend on these words, so they change rarely,
in one place, with golden tests beside them.
"""

import json
from typing import Any

from subsessiond.core.bounds import one_line
from subsessiond.model.base import Value
from subsessiond.model.brief import Brief
from subsessiond.model.ids import MessageId, NodeId
from subsessiond.model.node import Node, Settlement
from subsessiond.model.report import Report

ASK_FINAL = (
    "Your turn ended without a final report. Call report with stage final now: outcome completed, "
    "blocked or failed, and an output that stands on its own."
)

GUIDANCE = (
    "Report once before you finish. Report earlier when a finding changes what the agent that "
    "started you should do next. A report reaches only the agent that started you. Reporting does "
    "not end your turn."
)

WRITE_A_FILE = "write a file you own and send its path"


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


def accepted(message: MessageId) -> str:
    """Answer a report that is durable."""
    return f"report accepted by the agent that started you as message {message}"


def counted(message: MessageId) -> str:
    """Answer a report that is durable but will only be counted."""
    return (
        f"report kept as message {message}; as many as may be delivered were delivered before, "
        "so the agent that started you sees only their count until your final"
    )


def opening_text(node: Node) -> str:
    """Write the first thing a child reads: mission, what it owns, contract, letter."""
    terms = Terms(
        owns=node.owns,
        max_report_tokens=node.max_report_tokens,
        required_sections=node.required_sections,
        letter=node.letter,
    )
    return opening_of(node.brief, terms)


class Terms(Value, frozen=True, kw_only=True):
    """What a child is told beside its brief."""

    owns: tuple[str, ...]
    max_report_tokens: int
    required_sections: tuple[str, ...]
    letter: str


def opening_of(brief: Brief | None, terms: Terms) -> str:
    """Write the opening text of a child that may not be admitted yet."""
    owned = ", ".join(terms.owns)
    owns = f"Files you own: {owned}" if owned else "You own no files: read only."
    contract = f"Your final report may have at most {terms.max_report_tokens} tokens."
    if terms.required_sections:
        contract += f" It needs these sections: {', '.join(terms.required_sections)}."
    context = "\n".join(brief.context) if brief else ""
    also = f"See also:\n{context}" if context else ""
    parts = (brief.mission if brief else "", also, owns, contract, GUIDANCE, terms.letter)
    return "\n\n".join(part for part in parts if part)


def title_of(mission: str) -> str:
    """Make a title of at most 120 bytes out of a mission."""
    first = mission.strip().split("\n", 1)[0]
    return one_line(first, 120)
