"""What makes a message of this protocol, and what an answer looks like.

More patient than our own wire: members nobody knows are let pass, as agents add their own.
"""

from typing import Any

import msgspec

from subsessiond.model.brief import FieldFault
from subsessiond.rpc.request import is_id

_encode = msgspec.json.Encoder().encode


def message_faults(message: Any) -> tuple[FieldFault, ...]:
    """List what keeps parsed JSON from being a request or a notification."""
    if not isinstance(message, dict):
        return (FieldFault(path="", problem="must be an object"),)
    found = []
    if message.get("jsonrpc") != "2.0":
        found.append(FieldFault(path="jsonrpc", problem='must be "2.0"'))
    if not isinstance(message.get("method"), str):
        found.append(FieldFault(path="method", problem="must be text"))
    if "id" in message and not is_call_id(message["id"]):
        found.append(FieldFault(path="id", problem="must be text or a number within 2^53-1"))
    return tuple(found)


def is_call_id(value: Any) -> bool:
    """Tell whether a value can name a request: here null cannot."""
    return value is not None and is_id(value)


def is_response(message: Any) -> bool:
    """Tell whether a message answers a request; none is ever made to an agent."""
    return (
        isinstance(message, dict)
        and "method" not in message
        and ("result" in message or "error" in message)
    )


def id_of(message: Any) -> Any:
    """Give the id under which a message can be answered; none where there is no valid one."""
    if isinstance(message, dict) and is_call_id(message.get("id")):
        return message["id"]
    return None


def progress_token(params: dict[str, Any]) -> str | int | None:
    """Give the token by which a caller wants to hear that its call goes on."""
    meta = params.get("_meta")
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    return token if type(token) in (str, int) else None


def reply(result: dict[str, Any], call_id: Any) -> bytes:
    """Write the answer to a request."""
    return _encode({"jsonrpc": "2.0", "id": call_id, "result": result})


def error(fault: dict[str, Any], call_id: Any = None) -> bytes:
    """Write the answer to what could not be done."""
    return _encode({"jsonrpc": "2.0", "id": call_id, "error": fault})


def progress(token: str | int, count: int) -> bytes:
    """Write that a call goes on."""
    params = {"progressToken": token, "progress": count}
    return _encode({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
