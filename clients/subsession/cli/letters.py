"""Longer texts about one node: how it ended, all that is known of it, a row of the queue."""

import shlex
import time
from typing import Any

from subsession.amounts import say_bytes, say_span
from subsession.cli import facts
from subsession.cli.picture import title
from subsession.cli.session import SHORT
from subsession.cli.voice import Voice
from subsession.text import block, cut, one_line
from subsession.verbs import Json

_LABEL = 13


def record_of(view: Json) -> Json:
    """Give the settled record in a view of a node; empty while it lives."""
    row = view["row"]
    if facts.is_live(row):
        return {}
    # A parent's view has the record's fields at its top, the operator's has an envelope.
    return {**row, **(view.get("envelope") or view)}


def indented(text: str, pad: str = "  ") -> str:
    """Give a text of several lines, safe and moved to the right."""
    return "\n".join(pad + line for line in block(text).rstrip("\n").split("\n"))


def settled_text(view: Json, voice: Voice) -> str:
    """Say how a node ended, and what it said."""
    row, record = view["row"], record_of(view)
    found = facts.state(row)
    head = f"{cut(title(row), 40)} {row['nodeId'][-SHORT:]}: {voice.style(found.style, found.word)}"
    head += f" {facts.age(row, 0)} ({one_line(str(record.get('reason')))}, {author(record)})"
    said = report_lines(record)
    said += [indented(more)] if (more := unsaid(record)) else []
    nothing = f"  nothing was said; `subsession journal {row['nodeId'][-SHORT:]}` has the record"
    return "\n".join([head, *(said or [nothing])])


def unsaid(record: Json) -> str:
    """Give what a diagnostic says beside the report; the runtime often begins it with that."""
    output = str(record.get("output") or "").strip()
    diagnostic = str(record.get("diagnostic") or "").strip()
    return "" if diagnostic in output else diagnostic.removeprefix(f"{output}\n")


def author(record: Json) -> str:
    """Say whose words a settled record holds."""
    return "said by the runtime" if record.get("author") == "runtime" else "said by the child"


def report_lines(record: Json) -> list[str]:
    """Give what a settled record or a report says, part by part."""
    lines = [indented(str(record["output"]))] if record.get("output") else []
    for name, text in (record.get("sections") or {}).items():
        lines += [f"  {one_line(str(name))}:", indented(str(text), "    ")]
    parts = {"blockers": "blocked by", "openQuestions": "asks", "files": "file"}
    for key, label in parts.items():
        lines += [f"  {label}: {one_line(str(item))}" for item in record.get(key) or ()]
    if record.get("structured") is not None:
        import json

        lines += ["  structured:", indented(json.dumps(record["structured"], indent=1), "    ")]
    return lines


def clock(at_ms: Any) -> str:
    """Say an instant as date and time of day."""
    if not isinstance(at_ms, int):
        return ""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at_ms / 1_000))


def show_text(view: Json, voice: Voice, now_ms: float, context: str = "") -> str:
    """Say all that is known of a node, with what the context ledger has of it."""
    row, record = view["row"], record_of(view)
    pairs = [*_identity(view, row), *_life(row, record, now_ms), *_means(view, row, record)]
    pairs.append(("context", context))
    lines = [voice.style("bold", cut(title(row), voice.columns))]
    lines += [f"{label:<{_LABEL}} {one_line(text)}" for label, text in pairs if text]
    parts = {
        "mission": _mission(view),
        "letter": indented(view["letter"]) if view.get("letter") else "",
        "checkpoint": _checkpoint(view),
        "report": "\n".join(report_lines(record or view.get("lastReport") or view)),
        "diagnostic": indented(more) if (more := unsaid(record)) else "",
    }
    for name, text in parts.items():
        lines += [voice.style("bold", name), text] if text else []
    return "\n".join(lines)


def _mission(view: Json) -> str:
    mission = (view.get("brief") or {}).get("mission") or view.get("mission")
    return indented(str(mission)) if mission else ""


def _checkpoint(view: Json) -> str:
    mark = view.get("checkpoint")
    mark = mark if isinstance(mark, dict) else view
    if not mark.get("nextStep"):
        return ""
    return indented(f"phase: {mark.get('phase', '')}\nnext step: {mark['nextStep']}")


def _identity(view: Json, row: Json) -> list[tuple[str, str]]:
    agent = " by ".join(str(view[key]) for key in ("agent", "runner") if view.get(key))
    return [
        ("id", str(row["nodeId"])),
        ("parent", str(row.get("parentId") or "")),
        ("role", str(row.get("role") or "root")),
        ("agent", agent),
        ("command", " ".join(map(shlex.quote, view.get("argv") or ()))),
        ("workspace", str(view.get("workspace") or "")),
        ("owns", " ".join(view.get("owns") or ()) or "nothing"),
        ("overlaps", " ".join(row.get("overlaps") or ())),
        ("continues", str(row.get("predecessor") or "")),
        ("continued by", str(row.get("successor") or "")),
    ]


def _life(row: Json, record: Json, now_ms: float) -> list[tuple[str, str]]:
    how = f" ({record.get('reason')}, {author(record)})" if record else ""
    marks, claimed, times = {**row, **record}, row.get("claimedAt"), []
    for word in ("started", "settled", "released"):
        at = marks.get(f"{word}At")
        if isinstance(at, int) and isinstance(claimed, int):
            times.append(f"{word} after {say_span(at - claimed)}")
    sign = row.get("lastSignAt")
    last = f"{row.get('lastSign') or 'sign'}, {say_span(now_ms - sign)} ago" if sign else ""
    verification = str(record.get("verification") or "")
    return [
        ("state", facts.state(row).word + how),
        ("waits", f"to be attached: {attach_command(row)}" if row.get("awaitsAttach") else ""),
        ("claimed", clock(claimed)),
        ("since then", ", ".join(times)),
        ("last sign", last if facts.is_live(row) else ""),
        ("verification", "" if verification == "unchecked" else verification),
        ("leftovers", "; ".join(row.get("leftovers") or ())),
    ]


def _means(view: Json, row: Json, record: Json) -> list[tuple[str, str]]:
    measured = {"measuredTokens": row.get("measuredTokens") or record.get("measuredTokens")}
    cap, produced = row.get("declaredTokenCap"), record.get("producedBytes")
    spent = facts.tokens(measured)
    pairs = [("tokens", f"{spent}, cap {cap:,}" if isinstance(cap, int) else spent)]
    subtree = row.get("measuredSubtree") or view.get("measuredSubtree")
    if isinstance(subtree, dict) and subtree["started"] > 1:
        pairs.append(("with below", facts.subtree_tokens(subtree)))
    if isinstance(produced, int):
        pairs.append(("produced", say_bytes(produced)))
    if view.get("unread"):
        read = (
            f"; `subsession inbox {row['nodeId'][-SHORT:]}` shows it" if row.get("unread") else ""
        )
        pairs.append(("unread mail", f"{view['unread']}{read}"))
    return pairs


def attach_command(row: Json) -> str:
    """Say how a person starts the agent that a node waits for."""
    return f"subsession attach {one_line(str(row['nodeId']))[-SHORT:]} -- CMD"


def blocked_text(row: Json, voice: Voice, now_ms: float) -> str:
    """Say one row of the queue: what waits for a person, and what it says."""
    node_id, since = str(row["nodeId"]), row.get("sinceMs")
    waits = f", waits {say_span(now_ms - since)}" if isinstance(since, int) else ""
    tail = f" {node_id[-SHORT:]}: {one_line(str(row.get('category')))}{waits}"
    name = cut(title(row), max(8, voice.columns - len(tail)))
    lines = [voice.style("bold", name + tail[: SHORT + 1]) + tail[SHORT + 1 :]]
    lines += report_lines({key: row.get(key) for key in ("blockers", "openQuestions")})
    lines += [f"  still there: {one_line(str(item))}" for item in row.get("leftovers") or ()]
    if row.get("unread"):
        lines.append(f"  unread: {facts.reports(row['unread'])} of its children")
    if row.get("category") == "attach":
        lines.append(f"  waits for its agent: {attach_command(row)}")
    return "\n".join(lines)
