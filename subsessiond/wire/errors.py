"""What an error looks like: canonical code, field paths, limits; never a value, never internals."""

from collections.abc import Iterable
from types import MappingProxyType
from typing import Any

from subsessiond.model.brief import FieldFault
from subsessiond.model.rejection import Rejection

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

MESSAGES: tuple[tuple[int, str, str], ...] = (
    (PARSE_ERROR, "parse error", "the bytes are not JSON that can be read"),
    (INVALID_REQUEST, "invalid request", "the JSON is not a JSON-RPC 2.0 call"),
    (METHOD_NOT_FOUND, "method not found", "no method has this name"),
    (INVALID_PARAMS, "invalid params", "the parameters have fields that cannot be accepted"),
    (INTERNAL_ERROR, "internal error", "a bug; the incident id is in the daemon's log"),
)
"""The standard codes: number, message, meaning."""

_MESSAGE = MappingProxyType({number: message for number, message, _ in MESSAGES})

MOST_FIELDS = 50
"""Bad fields in one answer: answers are bounded, and nobody mends more at once."""


def error_object(rejection: Rejection) -> dict[str, Any]:
    """Give the error of a refusal: data a caller can branch on."""
    data: dict[str, Any] = {
        "code": rejection.code.name,
        "step": rejection.step,
        "retryable": rejection.retryable,
    }
    if rejection.fields:
        data |= fields_data(rejection.fields)
    optional = {
        "limit": rejection.limit,
        "actual": rejection.actual,
        "sibling": rejection.sibling,
        "paths": list(rejection.paths) or None,
        "retryAfterMs": rejection.retry_after_ms,
    }
    data |= {name: value for name, value in optional.items() if value is not None}
    return {"code": rejection.code.number, "message": rejection.message, "data": data}


def malformed(number: int, faults: Iterable[FieldFault] = (), **facts: Any) -> dict[str, Any]:
    """Give a standard error, with the bad fields and plain facts such as a limit."""
    data = fields_data(tuple(faults)) | facts
    error: dict[str, Any] = {"code": number, "message": _MESSAGE[number]}
    return {**error, "data": data} if data else error


def internal_error(incident: str) -> dict[str, Any]:
    """Give the error of a bug: an id to look for in the log, and nothing else."""
    return malformed(INTERNAL_ERROR, incident=incident)


def fields_data(faults: tuple[FieldFault, ...]) -> dict[str, Any]:
    """Give bad fields as data; beyond a bound their number stands for the rest."""
    if not faults:
        return {}
    shown = [{"path": fault.path, "problem": fault.problem} for fault in faults[:MOST_FIELDS]]
    more = len(faults) - len(shown)
    return {"fields": shown, "moreFields": more} if more else {"fields": shown}
