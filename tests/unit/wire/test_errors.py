from subsessiond.model.brief import FieldFault
from subsessiond.model.rejection import Code, Rejection
from subsessiond.wire import errors


def test_a_refusal_is_data() -> None:
    """Code, step, whether a retry can help, and the facts that fit."""
    rejection = Rejection(
        code=Code.SCOPE_OVERLAP,
        step="scope",
        detail="wait",
        sibling="0" * 26,
        paths=("a", "b"),
        retry_after_ms=5,
    )
    assert errors.error_object(rejection) == {
        "code": 1006,
        "message": "another node holds files that these patterns meet: wait; "
        "own other files, wait until it is released, or say allowOverlap",
        "data": {
            "code": "SCOPE_OVERLAP",
            "step": "scope",
            "retryable": True,
            "sibling": "0" * 26,
            "paths": ["a", "b"],
            "retryAfterMs": 5,
        },
    }


def test_a_hopeless_refusal_says_so_whatever_its_code() -> None:
    """No retry is advised, in words or in data, where none can help."""
    full = Rejection(code=Code.CONCURRENCY_EXCEEDED, step="s", detail="no more", hopeless=True)
    error = errors.error_object(full)
    assert error["data"]["retryable"] is False
    assert error["message"] == "as many nodes live as are allowed: no more"


def test_zero_is_a_limit_and_not_an_absence() -> None:
    """Limits and measures of nought are told."""
    data = errors.error_object(
        Rejection(code=Code.CONCURRENCY_EXCEEDED, step="s", limit=0, actual=0)
    )["data"]
    assert (data["limit"], data["actual"]) == (0, 0)


def test_fields_are_listed_up_to_a_bound() -> None:
    """Beyond fifty, their number stands for the rest."""
    faults = tuple(FieldFault(path=f"f{i}", problem="is bad") for i in range(60))
    data = errors.error_object(Rejection(code=Code.BRIEF_INVALID, step="brief", fields=faults))[
        "data"
    ]
    assert (len(data["fields"]), data["moreFields"]) == (50, 10)


def test_a_bug_tells_its_incident_and_nothing_else() -> None:
    """The client gets an id to ask about."""
    assert errors.internal_error("abc") == {
        "code": -32603,
        "message": "internal error",
        "data": {"incident": "abc"},
    }


def test_a_standard_error_without_facts_has_no_data() -> None:
    """Absent is absent."""
    assert errors.malformed(errors.METHOD_NOT_FOUND) == {
        "code": -32601,
        "message": "method not found",
    }
