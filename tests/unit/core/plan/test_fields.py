"""`core.plan.fields`."""

import time

import pytest

from subsessiond.core.plan.fields import NOTHING, Mention, fill, is_known, mentions_of
from subsessiond.model.node import Author, Settlement, StopReason
from subsessiond.model.report import Outcome
from tests.support.plans import a_plan, step

SAID = Settlement(
    outcome=Outcome.COMPLETED,
    stop_reason=StopReason.COMPLETED,
    reason="final-report",
    author=Author.CHILD,
    output="out {{a.files}}",
    structured={"deep": {"word": "w", "list": [1, 2]}},
    sections={"risks": "few"},
    files=("x", "y"),
)
CONTRACT = {
    "requiredSections": ["risks"],
    "outputSchema": {
        "type": "object",
        "properties": {"deep": {"type": "object", "properties": {"word": {"type": "string"}}}},
    },
}


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("output", "out {{a.files}}"),
        ("outcome", "completed"),
        ("files", "x\ny"),
        ("blockers", NOTHING),
        ("sections.risks", "few"),
        ("sections.other", NOTHING),
        ("structured.deep.word", "w"),
        ("structured.deep.list", "[1,2]"),
        ("structured.deep.none", NOTHING),
        ("structured.deep.word.more", NOTHING),
    ],
)
def test_each_field_stands_for_what_was_reported(asked: str, told: str) -> None:
    """Text as it is, lists by lines, other data as JSON; what is not there says so."""
    assert fill("<{{a." + asked + "}}>", {"a": SAID}) == f"<{told}>"


def test_what_a_child_said_is_not_read_for_fields_again() -> None:
    """A report that looks like a field stays what it is."""
    assert fill("{{a.output}}{{ a.output }}", {"a": SAID}) == "out {{a.files}}" * 2


def test_braces_of_others_stay() -> None:
    """Only two braces around a step and a field are ours."""
    text = "{a.output} {{a}} {{ }} ${{x}} {{a.b\n}}"
    assert list(mentions_of(text)) == []
    assert fill(text, {"a": SAID}) == text
    kept = r"\{{a.output}}"
    assert list(mentions_of(kept)) == []
    assert fill(kept, {"a": SAID}) == "{{a.output}}"
    assert list(mentions_of("{{a.output}} {{b-1.sections.of two}}")) == [
        Mention("a", "output"),
        Mention("b-1", "sections.of two"),
    ]


def test_spaces_without_an_end_are_looked_at_once() -> None:
    """A mission of nothing else holds nobody up: a second for each search would stop the daemon."""
    begun = time.perf_counter()
    assert list(mentions_of("{{a." + " " * 400_000)) == []
    assert list(mentions_of("{{a.output" + " " * 400_000 + "}}")) == [Mention("a", "output")]
    assert time.perf_counter() - begun < 2.0


@pytest.mark.parametrize(
    ("field", "known"),
    [
        ("output", True),
        ("openQuestions", True),
        ("transcript", False),
        ("sections", False),
        ("sections.risks", True),
        ("sections.chances", False),
        ("structured", True),
        ("structured.deep.word", True),
        ("structured.deep.other", False),
    ],
)
def test_only_fields_that_a_contract_promises_are_known(field: str, *, known: bool) -> None:
    """A transcript is none of them, whatever a plan asks for."""
    (one,) = a_plan(a=step(reportContract=CONTRACT)).steps
    assert is_known(one, field) is known


def test_without_a_schema_there_is_no_structure_to_ask_for() -> None:
    """The child may send any; nobody promised it."""
    (one,) = a_plan(a=step()).steps
    assert not is_known(one, "structured")
