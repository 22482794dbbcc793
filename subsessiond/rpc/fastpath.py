"""The short way for a single well-formed call of a known method: no library in between.

`rpc.dispatch` answers every call; this answers the many that are plain, in the same words. A
property test holds the two together.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
from structlog.typing import FilteringBoundLogger

from subsessiond.rpc.call import Call
from subsessiond.rpc.invoke import Entry, Failure, invoke

_encode = msgspec.json.Encoder().encode
_MEMBERS = 4
_NO_PARAMS: Mapping[str, Any] = {}


class FastPath:
    """Answers plain calls."""

    def __init__(self, entries: Mapping[str, Entry], log: FilteringBoundLogger) -> None:
        self._entries = entries
        self._log = log

    def entry(self, message: Any) -> Entry | None:
        """Give the method of a plain call; none when the message needs the long way.

        Plain is: exactly the members of a call with an id of text or a small whole number,
        parameters by name or none, and a method there is.
        """
        if type(message) is not dict or message.get("jsonrpc") != "2.0":
            return None
        if type(message.get("params", _NO_PARAMS)) is not dict:
            return None
        if len(message) != (_MEMBERS if "params" in message else _MEMBERS - 1):
            return None
        call_id, name = message.get("id"), message.get("method")
        if type(name) is not str or not _is_plain_id(call_id):
            return None
        return self._entries.get(name)

    async def answer(self, entry: Entry, message: dict[str, Any], call: Call) -> bytes:
        """Answer a plain call."""
        result = await invoke(entry, call, message.get("params", {}), self._log)
        call_id = _encode(message["id"])
        if isinstance(result, Failure):
            error = _encode(result.error)
            return b'{"jsonrpc":"2.0","error":%b,"id":%b}' % (error, call_id)
        return b'{"jsonrpc":"2.0","result":%b,"id":%b}' % (bytes(result), call_id)


def _is_plain_id(value: Any) -> bool:
    if type(value) is str:
        return "\0" not in value
    return type(value) is int and -(2**53) < value < 2**53
