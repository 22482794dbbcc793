"""What is answered to a request before any method runs, in the words of JSON-RPC."""

from collections.abc import Mapping
from typing import Any, Final

from aiohttp import hdrs, web

from subsessiond.model.brief import FieldFault
from subsessiond.model.rejection import Code, Rejection
from subsessiond.wire.canonical import compact_bytes
from subsessiond.wire.errors import INVALID_REQUEST, error_object, internal_error, malformed

JSON: Final[Mapping[str, str]] = {hdrs.CONTENT_TYPE: "application/json"}

STREAMS_MOST: Final = 16
"""Streams of one node at once: each may hold one half-sent message of the largest size."""


def is_json(request: web.BaseRequest) -> bool:
    """Tell whether a body is what it must be."""
    if hdrs.CONTENT_ENCODING in request.headers:
        return False
    kind = request.headers.get(hdrs.CONTENT_TYPE, "")
    return kind == "application/json" or kind.partition(";")[0].strip().lower() == (
        "application/json"
    )


def refusal(status: int, place: str, problem: str, **facts: int) -> web.Response:
    """Refuse a request for one thing about it."""
    faults = (FieldFault(path=place, problem=problem),)
    return _response(status, malformed(INVALID_REQUEST, faults, **facts))


def too_many_streams() -> web.Response:
    """Refuse a node one stream more."""
    rejection = Rejection(
        code=Code.BUSY,
        step="streams",
        detail="one stream carries every call",
        limit=STREAMS_MOST,
        retry_after_ms=1_000,
    )
    return _response(503, error_object(rejection))


def broken(incident: str) -> web.Response:
    """Answer where a bug kept a request from being read."""
    return _response(500, internal_error(incident))


def _response(status: int, error: dict[str, Any]) -> web.Response:
    body = compact_bytes({"jsonrpc": "2.0", "error": error, "id": None})
    return web.Response(status=status, body=body, headers=JSON)
