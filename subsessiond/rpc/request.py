"""What makes an object a call, as JSON-RPC 2.0 says it."""

from typing import Any

from subsessiond.model.brief import FieldFault
from subsessiond.wire.faults import join_path
from subsessiond.wire.text import MOST_INTEGER

_MEMBERS = frozenset({"jsonrpc", "method", "params", "id"})


def request_faults(message: Any) -> tuple[FieldFault, ...]:
    """List what keeps parsed JSON from being a call.

    Source: JSON-RPC 2.0 §4; unknown members are refused as everywhere on this wire.
    """
    if not isinstance(message, dict):
        return (FieldFault(path="", problem="must be an object"),)
    found = []
    if message.get("jsonrpc") != "2.0":
        found.append(FieldFault(path="jsonrpc", problem='must be "2.0"'))
    if not isinstance(message.get("method"), str):
        found.append(FieldFault(path="method", problem="must be text"))
    if "params" in message and not isinstance(message["params"], dict | list):
        found.append(FieldFault(path="params", problem="must be an object"))
    if "id" in message and not is_id(message["id"]):
        found.append(FieldFault(path="id", problem="must be text, a number within 2^53-1 or null"))
    unknown = [name for name in message if name not in _MEMBERS]
    found.extend(
        FieldFault(path=join_path(name), problem="is not a known member") for name in unknown[:10]
    )
    return tuple(found)


def is_id(value: Any) -> bool:
    """Tell whether a value can name a call and be sent back exactly as it came."""
    if isinstance(value, str):
        return "\0" not in value and is_unicode(value)
    if isinstance(value, bool):
        return False
    return value is None or (isinstance(value, int | float) and abs(value) <= MOST_INTEGER)


def is_unicode(text: str) -> bool:
    """Tell whether a text can be written as UTF-8: the patient parser lets surrogates pass."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def id_of(message: Any) -> Any:
    """Give the id under which a message can be answered; none where there is no valid one."""
    if isinstance(message, dict) and is_id(message.get("id")):
        return message.get("id")
    return None


def is_notification(message: Any) -> bool:
    """Tell whether a valid call asks for no reply. An id of null asks for one."""
    return "id" not in message
