import pytest

from subsessiond.core.bounds import size_bytes
from subsessiond.core.words.refusals import (
    FIELDS_BYTES,
    MESSAGE_BYTES,
    MORE_FIELDS,
    PATHS_BYTES,
    Refusal,
    quoted,
    refusal_text,
)
from subsessiond.model.brief import FieldFault

OUTCOME = FieldFault(path="outcome", problem="is required when stage is final")


def test_a_refusal_is_told_in_one_line() -> None:
    """What happened, which fields, the names there are, the limit, the others concerned, when."""
    refusal = Refusal(
        message="the report cannot be accepted",
        fields=(OUTCOME, FieldFault(path="", problem="and 3 more")),
        known=("output", "stage"),
        roles=("lead", "worker"),
        limit=600,
        actual=900,
        sibling="n",
        paths=("a", "b"),
        retry_after_ms=5,
    )
    assert refusal_text(refusal) == (
        "Refused: the report cannot be accepted. outcome: is required when stage is final. "
        "and 3 more. The parameters are: output, stage. "
        "The roles are: lead, worker. The limit is 600, this is 900. "
        "The other one is n. Paths: a, b. Try again after 5 ms."
    )
    assert refusal_text(Refusal(message="no", limit=1)) == "Refused: no. The limit is 1."
    assert refusal_text(Refusal(message="no")) == "Refused: no."


def test_what_the_message_names_is_not_told_again() -> None:
    """Neither the other one nor a path; a path that is given twice is told once."""
    message = "another node holds files: n owns src/**; own other files"
    refusal = Refusal(message=message, sibling="n", paths=("src/a.py", "src/**", "src/a.py"))
    assert refusal_text(refusal) == f"Refused: {message}. Paths: src/a.py."
    assert refusal_text(Refusal(message=message, paths=("src/**",))) == f"Refused: {message}."


def test_a_refusal_is_bounded() -> None:
    """Long words are cut, and fields that do not fit are said to be there."""
    many = tuple(FieldFault(path=f"f{n}", problem="is wrong") for n in range(1_000))
    text = refusal_text(Refusal(message="x" * 9_000, fields=many, paths=("y" * 9_000,)))
    assert size_bytes(text) <= MESSAGE_BYTES + FIELDS_BYTES + PATHS_BYTES + 100
    assert MORE_FIELDS in text
    assert MORE_FIELDS in refusal_text(Refusal(message="x", fields=(OUTCOME,), more=True))
    assert MORE_FIELDS not in refusal_text(Refusal(message="x", fields=(OUTCOME,)))


@pytest.mark.parametrize(
    ("problem", "hint"),
    [
        ("must be an integer", "without quotes"),
        ("must be true or false", "without quotes"),
        ("must be a list", "in brackets"),
        ("is too long", "is too long"),
    ],
)
def test_a_text_in_place_of_something_else_gets_a_hint(problem: str, hint: str) -> None:
    """What to write instead is said; other problems stay as they are."""
    fault = quoted(FieldFault(path="a", problem=problem))
    assert fault.path == "a"
    assert hint in fault.problem
