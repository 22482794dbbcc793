"""What one line of an agent asks for, as far as a bridge has to know: ids and names of methods.

The daemon reads the line again and says what is wrong with it. Here it only matters which answers
are due, and which of them can be asked for once more without doing anything twice.
"""

import json
from typing import Any

Json = dict[str, Any]
Key = tuple[str, Any]

LOST = (
    "The connection to the subsession daemon was lost while this call was under way. It may have "
    "arrived. Repeat it: with the same idempotencyKey nothing happens twice."
)
_LOST_DATA: Json = {"code": "CONNECTION_LOST", "step": "bridge", "retryable": True}
_LOST_ERROR: Json = {"code": -32000, "message": LOST, "data": _LOST_DATA}

CALL = "tools/call"
CANCELLED = "notifications/cancelled"
HANDSHAKE = ("initialize", "notifications/initialized")
_VERSION = "io.modelcontextprotocol/protocolVersion"


class Asked:
    """One line, and the requests in it whose answers are due.

    Args:
        line: as it came.
    """

    def __init__(self, line: bytes) -> None:
        self.line = line
        message = read(line)
        self.is_batch = isinstance(message, list)
        messages = message if isinstance(message, list) else [message]
        self.methods = [one.get("method") for one in messages if isinstance(one, dict)]
        self._requests = {key: one for one in messages if (key := key_of(one)) and "method" in one}
        self.due = set(self._requests)
        self.tries = 0
        self.cancels = {key for one in messages if (key := _cancelled(one))}

    @property
    def is_repeatable(self) -> bool:
        """Whether the line can be sent again, though it may have arrived."""
        return CALL not in self.methods

    @property
    def is_handshake(self) -> bool:
        """Whether a new daemon has to be told of it."""
        return not self.is_batch and bool(self.methods) and self.methods[0] in HANDSHAKE

    def lost(self) -> bytes:
        """Answer what is due: the daemon went away and nobody knows how far it had come."""
        return self.refused(_LOST_ERROR)

    def refused(self, error: Json) -> bytes:
        """Answer what is due with one error; a tool's call is answered by a result, as models read
        nothing else.
        """
        said = [_answer(self._requests[key], error) for key in self._requests if key in self.due]
        if not said:
            return b""
        return json.dumps(said if self.is_batch else said[0]).encode()

    def renamed(self, new_id: str) -> bytes:
        """Give a single request again under another id, so that its answer can be told apart."""
        message = read(self.line)
        if isinstance(message, dict) and "id" in message:
            return json.dumps({**message, "id": new_id}).encode()
        return self.line


def read(line: bytes) -> Any:
    """Read JSON; none for what is none, which the daemon will say."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def answered(line: bytes) -> set[Key]:
    """Tell which requests a line of the daemon answers."""
    message = read(line)
    messages = message if isinstance(message, list) else [message]
    return {key for one in messages if (key := key_of(one)) and "method" not in one}


def key_of(message: Any) -> Key | None:
    """Give the id of a message so that a number and its digits are told apart."""
    return _key(message.get("id")) if isinstance(message, dict) else None


def _key(call_id: Any) -> Key | None:
    if isinstance(call_id, bool) or not isinstance(call_id, str | int | float):
        return None
    return ("text" if isinstance(call_id, str) else "number", call_id)


def _cancelled(message: Any) -> Key | None:
    """Give the request that a notification takes back."""
    if not isinstance(message, dict) or message.get("method") != CANCELLED:
        return None
    params = message.get("params")
    return _key(params.get("requestId")) if isinstance(params, dict) else None


def _answer(request: Json, error: Json) -> Json:
    head = {"jsonrpc": "2.0", "id": request["id"]}
    if request["method"] != CALL:
        return {**head, "error": error}
    content = [{"type": "text", "text": error["message"]}]
    result = {"content": content, "structuredContent": error.get("data", {}), "isError": True}
    return {**head, "result": result | _kind(request)}


def _kind(request: Json) -> Json:
    """Say what kind of result it is where the request names a version, which then wants that."""
    params = request.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    return {"resultType": "complete"} if isinstance(meta, dict) and _VERSION in meta else {}
