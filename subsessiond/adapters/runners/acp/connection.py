"""JSON-RPC 2.0 between us and one agent, a JSON object a line, over raw dictionaries.

Owns ids, what is outstanding, and that everything asked gets an answer. Whatever comes, nothing of
it ends the connection but the agent's own end.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final, Protocol

import msgspec
import structlog

from subsessiond.core.bounds import cut_bytes
from subsessiond.model.process import InputClosed

METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INVALID_REQUEST: Final = -32600
INTERNAL: Final = -32603

CODES: Final = 2**31
"""Beyond it nobody's error codes lie: a longer number is a text in disguise."""

AT_ONCE: Final = 8
"""Requests of the agent that are worked on at once; while there are more, it is not read. So few
because each may hold a line of the longest kind, and its answer, until an agent reads it.
"""

MESSAGE_BYTES: Final = 1_024
"""Of an error's words, as they are kept."""

Write = Callable[[bytes], Awaitable[None]]

log = structlog.get_logger(__name__)


class AnsweredError(Exception):
    """The agent answered with an error.

    Attributes:
        code: of JSON-RPC or its own; none where it is no number.
        said: its words, bounded.
    """

    def __init__(self, error: Any) -> None:
        told = error if isinstance(error, dict) else {"message": error}
        code = told.get("code")
        is_code = isinstance(code, int) and not isinstance(code, bool) and abs(code) < CODES
        self.code = code if is_code else None
        words = [_text(told.get("message")), _text(told.get("data"))]
        self.said = cut_bytes(" ".join(part for part in words if part), MESSAGE_BYTES)
        super().__init__(f"error {self.code}: {self.said}")


class ConnectionLost(Exception):
    """The agent is gone, or does not listen any more; nothing it was asked will be answered."""


class AskedWrongly(Exception):
    """What the agent asked is answered with an error.

    Args:
        code: of JSON-RPC.
        said: words for the agent.
    """

    def __init__(self, code: int, said: str) -> None:
        super().__init__(said)
        self.code = code
        self.said = said


class Client(Protocol):
    """Who is spoken for."""

    async def answer(self, method: str, params: dict[str, Any]) -> Any:
        """Answer a request of the agent.

        Raises:
            AskedWrongly: the answer is this error.
        """

    def hear(self, method: str, params: dict[str, Any]) -> None:
        """Take a notification, known or not."""


class Connection:
    """Speaks with one agent.

    Args:
        write: writes one line, whole.
        client: answers and hears.
    """

    def __init__(self, write: Write, client: Client) -> None:
        self._write = write
        self._client = client
        self._next_id = 1
        self._outstanding: dict[int, asyncio.Future[Any]] = {}
        self._answering: set[asyncio.Task[None]] = set()
        self._room = asyncio.Semaphore(AT_ONCE)
        self._saying = asyncio.Lock()
        self.closed = asyncio.Event()
        """Set once nothing is answered any more."""
        self.unmatched = 0
        """Answers to nothing that is outstanding: late, doubled, or to what was never asked."""

    async def send(self, method: str, params: dict[str, Any]) -> asyncio.Future[Any]:
        """Ask something; returns when it was written, with what will hold the answer.

        Raises:
            ConnectionLost: it cannot be asked any more.
        """
        number, self._next_id = self._next_id, self._next_id + 1
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        future.add_done_callback(_look)
        self._outstanding[number] = future
        try:
            await self._say({"id": number, "method": method, "params": params})
        except ConnectionLost:
            self._outstanding.pop(number, None)
            raise
        return future

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        """Ask something and wait for the answer.

        Raises:
            AnsweredError: the answer is an error.
            ConnectionLost: there will be no answer.
        """
        return await (await self.send(method, params))

    async def notify(self, method: str, params: dict[str, Any]) -> None:
        """Say something that is not answered.

        Raises:
            ConnectionLost: nobody hears it.
        """
        await self._say({"method": method, "params": params})

    async def take(self, frame: dict[str, Any]) -> None:
        """Take one object; a request is answered in the background."""
        method = frame.get("method")
        if method is None:
            self._resolve(frame)
        elif "id" in frame:
            await self._room.acquire()
            task = asyncio.ensure_future(self._answer(frame["id"], method, frame.get("params")))
            self._answering.add(task)
            task.add_done_callback(self._answered)
        elif isinstance(method, str):
            params = frame.get("params")
            self._client.hear(method, params if isinstance(params, dict) else {})

    async def close(self) -> None:
        """Let nobody wait any more; idempotent."""
        self.closed.set()
        outstanding, self._outstanding = self._outstanding, {}
        for future in outstanding.values():
            if not future.done():
                future.set_exception(ConnectionLost("the agent is gone"))
        tasks = tuple(self._answering)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _resolve(self, frame: dict[str, Any]) -> None:
        number = frame.get("id")
        is_ours = isinstance(number, int | float) and not isinstance(number, bool)
        future = self._outstanding.pop(number, None) if is_ours else None  # type: ignore[arg-type]
        if future is None or future.done():
            self.unmatched += 1
        elif (error := frame.get("error")) is not None:
            future.set_exception(AnsweredError(error))
        else:
            future.set_result(frame.get("result"))

    async def _answer(self, number: Any, method: Any, params: Any) -> None:
        # Why: an id that is none might be nested too deep to be said again.
        is_id = number is None or isinstance(number, str | int | float)
        answer: dict[str, Any] = {"id": number if is_id else None}
        try:
            if not is_id:
                raise AskedWrongly(INVALID_REQUEST, "Invalid request: id is no id")
            answer["result"] = await self._worked_out(method, params)
        except AskedWrongly as wrong:
            answer["error"] = {"code": wrong.code, "message": wrong.said}
        except Exception:
            log.exception("answering an agent failed")
            answer["error"] = {"code": INTERNAL, "message": "Internal error"}
        try:
            await self._say(answer)
        except ConnectionLost:
            return  # there is nobody left to answer

    async def _worked_out(self, method: Any, params: Any) -> Any:
        if not isinstance(method, str):
            raise AskedWrongly(INVALID_REQUEST, "Invalid request: method is no text")
        if params is not None and not isinstance(params, dict):
            raise AskedWrongly(INVALID_PARAMS, "Invalid params: not an object")
        return await self._client.answer(method, params or {})

    def _answered(self, task: asyncio.Task[None]) -> None:
        self._answering.discard(task)
        self._room.release()

    async def _say(self, message: dict[str, Any]) -> None:
        # Why one after the other: a line that nobody reads yet can be six times what it says.
        async with self._saying:
            if self.closed.is_set():
                raise ConnectionLost("the agent is gone")
            line = msgspec.json.encode({"jsonrpc": "2.0", **message}) + b"\n"
            try:
                await self._write(line)
            except InputClosed as fault:
                raise ConnectionLost(str(fault)) from fault


def _look(future: asyncio.Future[Any]) -> None:
    """See an error, so that one whose asker has left is no warning."""
    if not future.cancelled():
        future.exception()


def _text(data: Any) -> str:
    """Write an error's further data."""
    if data is None or data == {}:
        return ""
    if isinstance(data, str):
        return data
    try:
        return msgspec.json.encode(data)[: 2 * MESSAGE_BYTES].decode(errors="ignore")
    except RecursionError:  # it was read with less on the stack than there is now
        return "(nested too deep)"
