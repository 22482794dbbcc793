"""JSON-RPC on the outside of a call: the request's bytes and what a reply means."""

import json
from typing import Any

from subsession.errors import BadAnswer, ProtocolMismatch, from_error

PROTOCOL_VERSION = 1
"""The protocol this client speaks; `daemon.info` names the daemon's."""
LONGEST_WAIT_MS = 50_000
"""The longest `waitMs` the daemon takes."""
ANSWER_LIMIT_S = 60.0
"""How long a call without `waitMs` may take; a daemon that is alive answers in milliseconds."""


def request(method: str, params: dict[str, Any], call_id: int) -> bytes:
    """Give the bytes of one call; parameters that are None are left out."""
    given = {key: value for key, value in params.items() if value is not None}
    call = {"jsonrpc": "2.0", "id": call_id, "method": method, "params": given}
    return json.dumps(call, ensure_ascii=False, separators=(",", ":")).encode()


def headers(token: str | None) -> dict[str, str]:
    """Give the headers of a call; the token narrows its caller to one node."""
    found = {"Content-Type": "application/json"}
    if token:
        found["Authorization"] = f"Bearer {token}"
    return found


def result(status: int, body: bytes) -> dict[str, Any]:
    """Give the result in a reply.

    Raises:
        Refused: the daemon refused.
        Misused: it could not take the call.
        Broken: it met a bug.
        BadAnswer: the reply is none of JSON-RPC.
    """
    try:
        reply = json.loads(body)
    except ValueError as fault:
        raise BadAnswer(f"what answered is no subsessiond (HTTP status {status})") from fault
    if isinstance(reply, dict) and isinstance(reply.get("error"), dict):
        raise from_error(reply["error"])
    if isinstance(reply, dict) and isinstance(reply.get("result"), dict):
        found: dict[str, Any] = reply["result"]
        return found
    raise BadAnswer(f"the daemon's answer has neither result nor error (HTTP status {status})")


def check_protocol(info: dict[str, Any]) -> None:
    """Make sure that client and daemon speak the same protocol.

    Args:
        info: the answer of `daemon.info`.

    Raises:
        ProtocolMismatch: they do not.
    """
    if info.get("protocolVersion") != PROTOCOL_VERSION:
        raise ProtocolMismatch(PROTOCOL_VERSION, info.get("protocolVersion"), info.get("version"))


def answer_limit_s(params: dict[str, Any]) -> float:
    """Give the seconds to wait for an answer: what it may wait itself, and the general limit."""
    return ANSWER_LIMIT_S + int(params.get("waitMs") or 0) / 1_000
