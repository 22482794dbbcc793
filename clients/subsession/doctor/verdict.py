"""What a trial has shown."""

from typing import TYPE_CHECKING, Final

from subsession.doctor.findings import Finding, State
from subsession.text import cut, one_line

if TYPE_CHECKING:
    from subsession.doctor.trial import Tried

SHOWN: Final = 8
"""Names of tools that are told."""
DIAGNOSTIC: Final = 300
REPORT: Final = "report"


def judge(tried: "Tried") -> Finding:
    """Say how a trial ended, and why where it failed."""
    row, envelope = tried.view["row"], tried.view.get("envelope") or {}
    outcome, took = str(row.get("outcome", "")), f"{tried.took_s:.1f} s"
    what = tried.agent
    if outcome == "completed" and tried.reported and envelope.get("author") == "child":
        count = len(tried.offered or ())
        said = f"tried: its model was offered {count} tools, reported by ours after {took}"
        return Finding(what, State.GOOD, said)
    why = f"tried: {_what_went_wrong(tried)}; after {took} it {_how_it_ended(outcome, envelope)}"
    told = cut(str(envelope.get("diagnostic", "")).strip(), DIAGNOSTIC)
    said = f"{why}\n{told}" if told else why
    return Finding(what, State.BAD, said, _advice(tried))


def _what_went_wrong(tried: "Tried") -> str:
    if tried.offered is None:
        return "it never asked its model with any tools"
    if tried.reported:
        return "its model reported, and the report did not arrive as its own end"
    if any(REPORT in name for name in tried.offered):
        return "its model was offered our tools, and did not come to report"
    names = ", ".join(one_line(name) for name in tried.offered[:SHOWN])
    more = f" and {len(tried.offered) - SHOWN} more" if len(tried.offered) > SHOWN else ""
    return f"its model was not offered our tools, only {names}{more}"


def _how_it_ended(outcome: str, envelope: dict[str, object]) -> str:
    if not outcome:
        return "had not ended"
    return f"ended {outcome}, {envelope.get('reason')}"


def _advice(tried: "Tried") -> str:
    if tried.offered is None:
        return f"start it by hand once: does `{tried.agent}` come up, and is it a known version?"
    return "the profile in agents.toml does not fit this version; compare it with the shipped one"
