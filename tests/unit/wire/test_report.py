from typing import Any

import msgspec
import pytest

from subsessiond.core.words import report_line
from subsessiond.model.report import MalformedReport, Outcome, Report, Stage
from subsessiond.wire.report import (
    JUDGED_BYTES,
    other_fields_line,
    parse_report,
    report_size_bytes,
)

FINAL = {"stage": "final", "output": "done", "outcome": "completed"}


def faulty(raw: dict[str, Any]) -> list[str]:
    """Read a bad report; give the paths of its faults."""
    found = parse_report(raw)
    assert isinstance(found, MalformedReport), found
    return [fault.path for fault in found.faults]


def test_output_alone_is_progress_that_can_be_promoted() -> None:
    """An absent stage is progress and is remembered as not named."""
    report = parse_report({"output": "so far"})
    assert report == Report(stage=Stage.PROGRESS, output="so far", explicit=False)


def test_a_whole_final_is_read() -> None:
    """Each field arrives as the child gave it."""
    raw = {
        **FINAL,
        "outcome": "blocked",
        "sections": {"a": ""},
        "structured": {"n": [1, 0.5, None, True]},
        "blockers": ["b"],
        "openQuestions": ["q"],
        "files": ["f"],
        "endChildren": True,
        "idempotencyKey": "k",
    }
    assert parse_report(raw) == Report(
        stage=Stage.FINAL,
        output="done",
        outcome=Outcome.BLOCKED,
        sections={"a": ""},
        structured={"n": [1, 0.5, None, True]},
        blockers=("b",),
        open_questions=("q",),
        files=("f",),
        end_children=True,
        key="k",
    )


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        ({"stage": "final", "output": "x"}, "outcome"),
        ({"stage": "finding", "output": "x", "outcome": "completed"}, "outcome"),
        ({"output": "x", "outcome": "completed"}, "outcome"),
        ({**FINAL, "outcome": "cancelled"}, "outcome"),
        ({**FINAL, "outcome": "blocked"}, "blockers"),
        ({**FINAL, "outcome": "blocked", "blockers": []}, "blockers"),
        ({**FINAL, "output": ""}, "output"),
        ({**FINAL, "kind": "x"}, "kind"),
        ({**FINAL, "structured": None}, "structured"),
        ({**FINAL, "structured": {"a": [2**53]}}, "structured.a[0]"),
        ({**FINAL, "structured": {"a\0": 1}}, "structured.(unnamed)"),
        ({**FINAL, "structured": ["a\0"]}, "structured[0]"),
        ({**FINAL, "sections": {"a": 1}}, "sections.a"),
        ({**FINAL, "endChildren": 1}, "endChildren"),
        ({**FINAL, "idempotencyKey": "../x"}, "idempotencyKey"),
        ({}, "output"),
    ],
)
def test_what_is_no_report_is_named(raw: dict[str, Any], path: str) -> None:
    """The one bad field is named by its path."""
    assert faulty(raw) == [path]


def test_all_faults_come_together() -> None:
    """Bad fields and bad free JSON are listed at once."""
    assert faulty({"stage": "fin", "structured": [2**60]}) == ["stage", "output", "structured[0]"]


def test_a_malformed_report_is_measured_and_known_as_final() -> None:
    """Its size is that of its compact JSON, and whether it meant to be final is kept."""
    found = parse_report({"stage": "final", "output": 7})
    assert isinstance(found, MalformedReport)
    assert (found.size_bytes, found.is_final) == (len(b'{"stage":"final","output":7}'), True)


@pytest.mark.scenario("S35")
def test_a_huge_report_is_measured_without_being_looked_at() -> None:
    """Far beyond every contract only the size is told, so that it is judged first and fast."""
    found = parse_report({"output": 7, "junk": "x" * JUDGED_BYTES})
    assert isinstance(found, MalformedReport)
    assert found.size_bytes > JUDGED_BYTES
    assert len(found.faults) == 1


def test_nothing_that_fits_a_contract_is_too_large_to_be_looked_at() -> None:
    """The largest contract, written with the longest escapes, is still read."""
    assert isinstance(parse_report({"output": "\x01" * 24_000}), Report)


def test_depth_is_bounded() -> None:
    """Structured data deeper than 64 levels is refused."""
    deep: Any = 1
    for _ in range(66):
        deep = [deep]
    assert len(faulty({**FINAL, "structured": deep})) == 1


def test_size_is_what_the_parent_is_shown() -> None:
    """Bytes of the output and of the one line of the other fields, key and stage not counted."""
    report = parse_report({**FINAL, "output": "é", "idempotencyKey": "k", "files": ["f"]})
    assert isinstance(report, Report)
    line = '{"outcome":"completed","files":["f"]}'
    assert other_fields_line(report) == line
    assert report_size_bytes(report) == 2 + len(line)
    assert report_size_bytes(msgspec.structs.replace(report, outcome=None, files=())) == 2


def test_the_line_is_the_line_the_parent_reads() -> None:
    """What is measured is what the words of the core write."""
    raw = {**FINAL, "structured": {"ü": [1, 0.5, "\n\x1f"]}, "sections": {"s": "\u2028"}}
    report = parse_report(raw)
    assert isinstance(report, Report)
    assert other_fields_line(report) == report_line(report)
