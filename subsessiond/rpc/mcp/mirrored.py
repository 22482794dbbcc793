"""Headers in which a client repeats what its message says, so that others need not read that.

Of the version without a handshake every request must repeat its version, method and tool, and what
differs is refused: somebody on the way would have decided by other words than are obeyed here.

Source: the Model Context Protocol, Streamable HTTP, in the versions of `rpc.mcp.versions`.
"""

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from subsessiond.model.brief import FieldFault
from subsessiond.rpc.mcp.messages import is_response
from subsessiond.rpc.mcp.versions import BY_REQUEST, envelope_faults, version_fault, version_of
from subsessiond.wire.errors import INVALID_PARAMS, INVALID_REQUEST, malformed

VERSION: Final = "MCP-Protocol-Version"
METHOD: Final = "Mcp-Method"
NAME: Final = "Mcp-Name"

MISMATCH: Final = -32020

_ENCODED: Final = ("=?base64?", "?=")
"""Stand around a value that a header could not hold as it is."""

_ONE_EACH: Final = FieldFault(path="", problem="must be one message, not a batch, in this version")


class Headers(Protocol):
    """What is asked of headers."""

    def getall(self, key: str, default: Sequence[str], /) -> Sequence[str]:
        """Give every value of a name."""


def is_by_request(headers: Headers, message: Any) -> bool:
    """Tell whether a message is of the version without a handshake."""
    if _only(headers, VERSION) == BY_REQUEST:
        return True
    return isinstance(message, dict) and version_of(_params(message)) is not None


def header_fault(headers: Headers, message: Any) -> dict[str, Any] | None:
    """Give the error for a message whose headers keep it from being taken.

    Args:
        headers: Of its request.
        message: Parsed JSON, of whatever shape.
    """
    version = _only(headers, VERSION)
    if isinstance(message, dict) and "id" in message and not is_response(message):
        fault = _request_fault(headers, message) if is_by_request(headers, message) else None
        return fault or version_fault(version)
    if isinstance(message, list) and version == BY_REQUEST:
        return malformed(INVALID_REQUEST, (_ONE_EACH,))
    return version_fault(version)


def _request_fault(headers: Headers, message: Mapping[str, Any]) -> dict[str, Any] | None:
    """Compare what is repeated, in the order in which it narrows down what is asked for."""
    params = _params(message)
    if faults := envelope_faults(params):
        return malformed(INVALID_PARAMS, faults)
    if _only(headers, VERSION) != version_of(params):
        return _mismatch(VERSION)
    if _only(headers, METHOD) != message.get("method"):
        return _mismatch(METHOD)
    named = params.get("name") if message.get("method") == "tools/call" else None
    if isinstance(named, str) and _decoded(_only(headers, NAME)) != named:
        return _mismatch(NAME)
    return None


def _params(message: Mapping[str, Any]) -> dict[str, Any]:
    params = message.get("params")
    return params if isinstance(params, dict) else {}


def _only(headers: Headers, name: str) -> str | None:
    """Give the value of a header; of one that stands there twice nobody knows which is meant."""
    found = headers.getall(name, ())
    return found[0] if len(found) == 1 else ", ".join(found) or None


def _decoded(value: str | None) -> str | None:
    before, after = _ENCODED
    if value is None or not (value.startswith(before) and value.endswith(after)):
        return value
    try:
        return base64.b64decode(value[len(before) : -len(after)], validate=True).decode()
    except (binascii.Error, ValueError):
        return None


def _mismatch(name: str) -> dict[str, Any]:
    problem = "is missing, or not what the message says"
    data = {"fields": [{"path": name, "problem": problem}]}
    return {"code": MISMATCH, "message": "header mismatch", "data": data}
