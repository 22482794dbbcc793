"""Reads a report and measures it."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from subsessiond.model.brief import FieldFault
from subsessiond.model.report import MalformedReport, Outcome, Report, Stage
from subsessiond.wire.canonical import compact_bytes, json_faults
from subsessiond.wire.faults import read_fields
from subsessiond.wire.params import Params
from subsessiond.wire.text import AnyText, Key, Listed, Maybe, Pointer, SectionName, SomeText

JUDGED_BYTES = 256 * 1024
"""Compact JSON beyond this is too large for every contract: 8,000 tokens are 24,000 bytes, and a
byte is written with at most six. Its fields are not looked at any more."""

_OVERSIZED = FieldFault(path="output", problem="is too large to be looked at")


class ReportFields(Params):
    """What a child says upward."""

    stage: Maybe[Literal["progress", "finding", "final"]] = None
    """Sign of life, partial result, or the end; absent, progress that may be promoted."""
    output: SomeText
    """The words for the parent, complete in themselves."""
    outcome: Maybe[Literal["completed", "blocked", "failed"]] = None
    """How it ended; required for a final, and only there."""
    sections: Maybe[Annotated[dict[SectionName, AnyText], Field(max_length=64)]] = None
    """Parts the contract asks for, by name."""
    structured: Any = None
    """The result as data; a final's must satisfy the brief's schema."""
    blockers: Maybe[Annotated[Listed[SomeText], Field(max_length=64)]] = None
    """What stands in the way; required when blocked."""
    open_questions: Maybe[Annotated[Listed[SomeText], Field(max_length=64)]] = None
    """What only somebody else can answer."""
    files: Maybe[Annotated[Listed[Pointer], Field(max_length=1_000)]] = None
    """Files the report speaks of."""
    end_children: Maybe[bool] = None
    """With a completed final: end the children that are still live."""
    idempotency_key: Maybe[Key] = None
    """Repeating a report with its key gives the first receipt again."""


def parse_report(raw: Mapping[str, Any]) -> Report | MalformedReport:
    """Read a report.

    Args:
        raw: The parameters as they came, without `nodeId`.

    Returns:
        The report, or every bad field together with its size, which is judged before its shape.
    """
    size = len(compact_bytes(raw))
    read = (_OVERSIZED,) if size > JUDGED_BYTES else _read(raw)
    if isinstance(read, Report):
        return read
    return MalformedReport(size_bytes=size, faults=read, is_final=raw.get("stage") == "final")


def _read(raw: Mapping[str, Any]) -> Report | tuple[FieldFault, ...]:
    free = _structured_faults(raw["structured"]) if "structured" in raw else ()
    fields = read_fields(ReportFields, raw)
    if isinstance(fields, tuple):
        return fields + free
    return _rule_faults(fields) or free or _report(fields)


def other_fields_line(report: Report) -> str:
    """Write the fields beside `output` as one line of compact JSON; empty when there are none."""
    fields = {
        "outcome": report.outcome,
        "structured": report.structured,
        "sections": report.sections,
        "blockers": report.blockers or None,
        "openQuestions": report.open_questions or None,
        "files": report.files or None,
    }
    present = {name: value for name, value in fields.items() if value is not None}
    return compact_bytes(present).decode() if present else ""


def report_size_bytes(report: Report, line: str | None = None) -> int:
    """Measure a report as its parent would be shown it.

    Args:
        report: A well-formed report.
        line: The line of its other fields where it is at hand; absent, it is written here.
    """
    shown = other_fields_line(report) if line is None else line
    return len(report.output.encode()) + len(shown.encode())


def _structured_faults(value: Any) -> tuple[FieldFault, ...]:
    if value is None:
        return (FieldFault(path="structured", problem="is null; leave it out instead"),)
    return json_faults(value, "structured")


def _rule_faults(fields: ReportFields) -> tuple[FieldFault, ...]:
    is_final = fields.stage == "final"
    if is_final and fields.outcome is None:
        return (FieldFault(path="outcome", problem="is required when stage is final"),)
    if fields.outcome is not None and not is_final:
        return (FieldFault(path="outcome", problem="is only for stage final"),)
    if fields.outcome == "blocked" and not fields.blockers:
        return (FieldFault(path="blockers", problem="needs an entry when outcome is blocked"),)
    return ()


def _report(fields: ReportFields) -> Report:
    return Report(
        stage=Stage(fields.stage or "progress"),
        explicit=fields.stage is not None,
        output=fields.output,
        outcome=None if fields.outcome is None else Outcome(fields.outcome),
        structured=fields.structured,
        sections=fields.sections,
        blockers=fields.blockers or (),
        open_questions=fields.open_questions or (),
        files=fields.files or (),
        end_children=bool(fields.end_children),
        key=fields.idempotency_key,
    )
