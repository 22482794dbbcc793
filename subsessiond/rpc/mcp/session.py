"""One MCP session: what each message of one connection means.

Nothing depends on `initialize` having come first: some protocol versions have none, and what a
caller may do comes from its process alone.

Source: the Model Context Protocol, in the versions of `rpc.mcp.versions`; JSON-RPC 2.0.
"""

import asyncio
import secrets
from collections.abc import Callable, Coroutine, Mapping
from types import MappingProxyType
from typing import Any, Final

from subsessiond.core.words.refusals import NOT_A_TOOL
from subsessiond.model.brief import FieldFault
from subsessiond.model.rejection import Rejection
from subsessiond.rpc.call import Call
from subsessiond.rpc.dispatch import BATCH_MOST, Answer, Answers
from subsessiond.rpc.mcp import messages
from subsessiond.rpc.mcp.results import Result, refusal_result
from subsessiond.rpc.mcp.table import INBOX, tool_named
from subsessiond.rpc.mcp.toolbox import SERVER, Told, Toolbox
from subsessiond.rpc.mcp.versions import (
    SUPPORTED,
    in_version,
    negotiate,
    version_fault,
    version_of,
)
from subsessiond.rpc.reading import Unreadable, read_json
from subsessiond.rpc.refused import Malformed
from subsessiond.rpc.running import Running
from subsessiond.wire.errors import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    error_object,
    internal_error,
    malformed,
)

PROGRESS_S: Final = 15.0
"""How often a call that waits is said to be alive: one public agent gives up after a minute."""


class Session:
    """Answers the messages of one connection.

    Args:
        toolbox: Has the tools.
        running: Keeps the calls.
        progress_s: How often a caller who asked for it hears that its call goes on.
    """

    def __init__(self, toolbox: Toolbox, running: Running, progress_s: float = PROGRESS_S) -> None:
        self._toolbox = toolbox
        self._running = running
        self._progress_s = progress_s
        self._under_way: dict[Any, asyncio.Task[Told]] = {}

    def split(self, raw: bytes, call: Call) -> Answers:
        """Read one message and split it into calls. Never waits; begins nothing."""
        return self.take(read_json(raw), call)

    def take(self, message: Any | Unreadable, call: Call) -> Answers:
        """Split a message that was read into calls. Never waits; begins nothing."""
        if isinstance(message, Unreadable):
            return Answers(ready=_unreadable(message))
        if not isinstance(message, list):
            return Answers(calls=self._calls((message,), call))
        if not 0 < len(message) <= BATCH_MOST:
            fault = FieldFault(path="", problem=f"must be 1 to {BATCH_MOST} messages")
            return Answers(ready=messages.error(malformed(INVALID_REQUEST, (fault,))))
        return Answers(calls=self._calls(message, call), is_batch=True)

    def refuse(self, raw: bytes, rejection: Rejection) -> bytes | None:
        """Answer every request of a message with one refusal, running none of them."""
        message = read_json(raw)
        if isinstance(message, Unreadable):
            return _unreadable(message)
        is_batch = isinstance(message, list)
        ids = map(messages.id_of, message[:BATCH_MOST] if is_batch else (message,))
        refused = error_object(rejection)
        said = [messages.error(refused, one) for one in ids if one is not None]
        return Answers(is_batch=is_batch).join(said)

    def end(self) -> None:
        """Take back what is under way: whoever asked for it is gone."""
        for work in tuple(self._under_way.values()):
            work.cancel()

    def too_long(self, limit: int) -> bytes:
        """Answer a line that was too long to be kept."""
        fault = FieldFault(path="", problem=f"is a line of more than {limit} bytes")
        return messages.error(malformed(PARSE_ERROR, (fault,), limit=limit))

    def _calls(self, given: Any, call: Call) -> tuple[Answer, ...]:
        answers = (self._answer(message, call) for message in given)
        return tuple(answer for answer in answers if answer is not None)

    def _answer(self, message: Any, call: Call) -> Answer | None:
        """Begin the answer to one message; none to what wants none."""
        if messages.is_response(message):
            return None
        if faults := messages.message_faults(message):
            return _said(malformed(INVALID_REQUEST, faults), messages.id_of(message))
        if "id" not in message:
            self._hear(message)
            return None
        return self._reply(message, call)

    def _hear(self, message: dict[str, Any]) -> None:
        """Take a notification: one that is known ends a call, the others change nothing."""
        params = message.get("params")
        if message["method"] == "notifications/cancelled" and isinstance(params, dict):
            call_id = params.get("requestId")
            work = self._under_way.get(call_id) if messages.is_call_id(call_id) else None
            if work is not None:
                work.cancel()

    async def _reply(self, message: dict[str, Any], call: Call) -> bytes | None:
        call_id, method = message["id"], _METHODS.get(str(message["method"]))
        if method is None:
            return messages.error(malformed(METHOD_NOT_FOUND), call_id)
        params = message.get("params") or {}
        try:
            if not isinstance(params, dict):
                raise Malformed("params", "must be an object")
            version = version_of(params)
            if fault := version_fault(version):
                return messages.error(fault, call_id)
            result = await method(self, params, call, call_id)
        except Malformed as bad:
            return messages.error(malformed(INVALID_PARAMS, bad.faults), call_id)
        except Exception:  # the last place where a bug of this protocol ends
            incident = secrets.token_hex(8)
            self._toolbox.log.exception("mcp.bug", incident=incident)
            return messages.error(internal_error(incident), call_id)
        if result is None:
            return None
        return messages.reply(in_version(result, version, SERVER), call_id)

    async def _initialize(self, params: dict[str, Any], call: Call, _: Any) -> Result:
        version = negotiate(params.get("protocolVersion"))
        return {"protocolVersion": version, "serverInfo": SERVER, **self._abilities(call)}

    async def _discover(self, _params: dict[str, Any], call: Call, _: Any) -> Result:
        return {"supportedVersions": [*SUPPORTED], **self._abilities(call)}

    def _abilities(self, call: Call) -> Result:
        instructions = self._toolbox.instructions(call)
        said: Result = {"capabilities": {"tools": {}}}
        return {**said, "instructions": instructions} if instructions else said

    async def _ping(self, _params: dict[str, Any], _call: Call, _: Any) -> Result:
        return {}

    async def _list(self, _params: dict[str, Any], call: Call, _: Any) -> Result:
        return {"tools": self._toolbox.shown(call)}

    async def _call(self, params: dict[str, Any], call: Call, call_id: Any) -> Result | None:
        """Call a tool; a call that its caller has taken back gets no answer."""
        tool = tool_named(params.get("name"))
        if tool is None:
            raise Malformed("name", NOT_A_TOOL)
        work = self._running.start(self._toolbox.call(tool, params.get("arguments", {}), call))
        self._under_way[call_id] = work
        try:
            await self._wait(work, messages.progress_token(params), call)
        finally:
            if self._under_way.get(call_id) is work:
                del self._under_way[call_id]
        if work.cancelled():
            return None
        if call.connection is not None and call.connection.closed:
            return None
        # Why not on a mailbox: that is bounded as a whole, and what was said lies in it.
        result = self._toolbox.show(work.result(), call)
        return result if tool is INBOX else self._toolbox.ride(result, call)

    async def _wait(self, work: asyncio.Task[Told], token: str | int | None, call: Call) -> None:
        """Wait for a call to end, and say now and then that it goes on to whoever wants to hear."""
        seconds, count = None if token is None else self._progress_s, 0
        while not (await asyncio.wait((work,), timeout=seconds))[0]:
            count += 1
            if token is not None and call.connection is not None:
                call.connection.reply(messages.progress(token, count))


def _unreadable(why: Unreadable) -> bytes | None:
    """Answer a message that could not be taken: a tool's call in the words of a refusal."""
    call_id = messages.id_of(why.message)
    if call_id is None or messages.message_faults(why.message):
        return messages.error(malformed(PARSE_ERROR, why.faults), call_id)
    params = why.message.get("params")
    tool = tool_named(params.get("name")) if isinstance(params, dict) else None
    fault = malformed(INVALID_PARAMS, why.faults)
    if tool is None:
        return messages.error(fault, call_id)
    return messages.reply(refusal_result(fault, tool, {}), call_id)


async def _said(fault: dict[str, Any], call_id: Any) -> bytes:
    return messages.error(fault, call_id)


_Method = Callable[[Session, dict[str, Any], Call, Any], Coroutine[Any, Any, Result | None]]
_METHODS: Final[Mapping[str, _Method]] = MappingProxyType(
    {
        "initialize": Session._initialize,  # noqa: SLF001  # the table of this class
        "server/discover": Session._discover,  # noqa: SLF001
        "ping": Session._ping,  # noqa: SLF001
        "tools/list": Session._list,  # noqa: SLF001
        "tools/call": Session._call,  # noqa: SLF001
    }
)
