"""Sentences for refusals."""

import pytest

from subsession.errors import ADVICE, STEP_ADVICE, Broken, Misused, Refused, from_error
from subsessiond.model.rejection import Code


def test_every_refusal_says_what_to_do_next() -> None:
    """There is advice for every canonical code, and for nothing else."""
    assert ADVICE.keys() == {code.name for code in Code}


@pytest.mark.parametrize("code", Code)
def test_every_refusal_is_a_sentence(code: Code) -> None:
    """A refusal says what happened, its code, and what to do next."""
    data = {"code": code.name, "step": "s", "retryable": code.retryable}
    fault = from_error({"code": code.number, "message": code.sentence, "data": data})
    first, *rest = str(fault).split("\n")
    assert first == f"{code.sentence}. [{code.name} {code.number}]"
    assert rest == ["  " + ADVICE[code.name].format(node="NODE")]


@pytest.mark.parametrize("key", STEP_ADVICE)
def test_a_step_with_a_reason_of_its_own_has_advice_of_its_own(key: str) -> None:
    """Where nobody is allowed it another terminal would not help, and no root has a successor."""
    code, step = key.split()
    said = str(from_error({"code": 1, "message": "no", "data": {"code": code, "step": step}}))
    assert said.endswith("\n  " + STEP_ADVICE[key])
    assert STEP_ADVICE[key] != ADVICE[code]


def test_a_refusal_tells_what_was_met() -> None:
    """Limit, actual, node, paths, fields and time to wait are in the sentence."""
    data = {
        "code": "SCOPE_OVERLAP",
        "step": "scope",
        "retryable": True,
        "limit": 5,
        "actual": 60_000,
        "sibling": "01abc",
        "paths": ["src/**", "src/a.py"],
        "fields": [{"path": "brief.ownedGlobs[0]", "problem": "meets"}],
        "retryAfterMs": 1_500,
    }
    fault = from_error({"code": 1006, "message": "two meet", "data": data})
    assert str(fault).split("\n") == [
        "two meet. [SCOPE_OVERLAP 1006]",
        "  brief.ownedGlobs[0]: meets",
        "  limit 5, met 60,000, node 01abc, at src/** src/a.py, try again in 1.5 s",
        "  " + ADVICE["SCOPE_OVERLAP"].format(node="01abc"),
    ]
    assert isinstance(fault, Refused)
    assert fault.refusal.retryable


def test_a_bug_of_the_daemon_names_its_incident() -> None:
    """An internal error is told with the id that its log knows."""
    fault = from_error({"code": -32603, "message": "internal error", "data": {"incident": "i-7"}})
    assert isinstance(fault, Broken)
    assert "i-7" in str(fault)


def test_a_call_that_cannot_be_read_names_its_fields() -> None:
    """A malformed call tells which field is wrong."""
    data = {"fields": [{"path": "nodeId", "problem": "is no id"}]}
    fault = from_error({"code": -32602, "message": "invalid params", "data": data})
    assert isinstance(fault, Misused)
    assert str(fault).endswith("\n  nodeId: is no id")


def test_an_error_of_any_shape_is_told() -> None:
    """Missing or foreign data does not hide the error itself."""
    assert isinstance(from_error({}), Misused)
    assert isinstance(from_error({"code": 1, "message": "m", "data": "text"}), Misused)
