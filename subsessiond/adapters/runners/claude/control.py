"""What we and one Claude Code ask of each other, a JSON object a line, over raw dictionaries.

Owns names of requests, what is outstanding, and that everything asked gets an answer, an unknown
question too: an agent that waits for one does nothing else.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

import msgspec
import structlog

from subsessiond.core.bounds import cut_bytes, one_line
from subsessiond.model.process import InputClosed

AT_ONCE: Final = 8
"""Requests of the agent that are worked on at once; while there are more, it is not read. So few
because each may hold a line of the longest kind, and its answer, until the agent reads it.
"""

MESSAGE_BYTES: Final = 64 * 1024
"""Of an error's words: whole, so far as anybody writes them, because secrets are taken out of them
before they are cut to what is shown.
"""

NAMED_BYTES: Final = 100

NAME_BYTES: Final = 256
"""Of a request's name; a longer one is none that an answer could carry."""

Write = Callable[[bytes], Awaitable[None]]
Answer = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]

log = structlog.get_logger(__name__)


class AgentGone(Exception):
    """It is gone, or does not listen any more; nothing it was asked will be answered."""


class AnsweredError(Exception):
    """The agent answered with an error, whose words these are."""


class AskedWrongly(Exception):
    """What the agent asked is answered with an error, whose words these are."""


class Control:
    """Speaks with one agent.

    Args:
        write: writes one line, whole.
        answer: answers what the agent asks; may raise `AskedWrongly`.
    """

    def __init__(self, write: Write, answer: Answer) -> None:
        self._write = write
        self._answer_of = answer
        self._asked = 0
        self._outstanding: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._answering: dict[str, asyncio.Task[None]] = {}
        self._room = asyncio.Semaphore(AT_ONCE)
        self._saying = asyncio.Lock()
        self.closed = asyncio.Event()
        """Set once nothing is answered any more."""

    async def request(self, subtype: str, **words: Any) -> dict[str, Any]:
        """Ask something and wait for the answer.

        Raises:
            AnsweredError: the answer is an error.
            AgentGone: there will be no answer.
        """
        self._asked += 1
        name = f"subsession-{self._asked}"
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._outstanding[name] = future
        try:
            await self._say(_request(name, subtype, words))
            return await future
        finally:
            self._outstanding.pop(name, None)

    async def interrupt(self) -> None:
        """Ask for the end of the running turn; what comes of it is the turn's end.

        Raises:
            AgentGone: nobody hears it.
        """
        self._asked += 1
        await self._say(_request(f"subsession-{self._asked}", "interrupt", {}))

    async def say(self, name: str, text: str) -> None:
        """Say something to its model.

        Args:
            name: a UUID, by which the agent tells what becomes of it.
            text: all of it.

        Raises:
            AgentGone: nobody hears it.
        """
        # Why a line before a slash: the agent would take it for a command of its own.
        content = f"\n{text}" if text.startswith("/") else text
        message = {"role": "user", "content": content}
        more = {"parent_tool_use_id": None, "session_id": "", "uuid": name}
        await self._say({"type": "user", "message": message, **more})

    async def take(self, frame: dict[str, Any]) -> bool:
        """Take one object, where it is of this kind; a request is answered in the background."""
        match frame.get("type"):
            case "control_request":
                await self._take_request(frame.get("request_id"), frame.get("request"))
            case "control_response":
                self._resolve(frame.get("response"))
            case "control_cancel_request":
                self._cancel(frame.get("request_id"))
            case _:
                return False
        return True

    async def close(self) -> None:
        """Let nobody wait any more; idempotent."""
        self.closed.set()
        for future in self._outstanding.values():
            if not future.done():
                future.set_exception(AgentGone("the agent is gone"))
        tasks = tuple(self._answering.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _take_request(self, name: Any, asked: Any) -> None:
        # Why nothing else: an answer without the name it was asked under is answer to nothing.
        if not isinstance(name, str) or len(name) > NAME_BYTES or name in self._answering:
            return
        await self._room.acquire()
        if self.closed.is_set():
            self._room.release()
            return
        task = asyncio.ensure_future(self._answer(name, asked))
        self._answering[name] = task
        task.add_done_callback(lambda _: self._answered(name))

    def _answered(self, name: str) -> None:
        del self._answering[name]
        self._room.release()

    def _cancel(self, name: Any) -> None:
        task = self._answering.get(name) if isinstance(name, str) else None
        if task is not None:
            task.cancel()

    def _resolve(self, answer: Any) -> None:
        """Let whoever asked have the answer; the agent's echoes of ours are answers to nothing."""
        said = answer if isinstance(answer, dict) else {}
        name = said.get("request_id")
        future = self._outstanding.get(name) if isinstance(name, str) else None
        if future is None or future.done():
            return
        if said.get("subtype") == "success":
            found = said.get("response")
            future.set_result(found if isinstance(found, dict) else {})
        else:
            error = said.get("error")
            words = error if isinstance(error, str) else "an error without words"
            future.set_exception(AnsweredError(cut_bytes(words, MESSAGE_BYTES)))

    async def _answer(self, name: str, asked: Any) -> None:
        said: dict[str, Any] = {"request_id": name}
        try:
            found = await self._answer_of(asked if isinstance(asked, dict) else {})
            said |= {"subtype": "success", "response": found}
        except AskedWrongly as wrong:
            said |= {"subtype": "error", "error": str(wrong)}
        except Exception:
            log.exception("answering an agent failed")
            said |= {"subtype": "error", "error": "internal error"}
        try:
            await self._say({"type": "control_response", "response": said})
        except AgentGone:
            return  # there is nobody left to answer

    async def _say(self, message: dict[str, Any]) -> None:
        # Why one after the other: a line that nobody reads yet can be six times what it says.
        async with self._saying:
            if self.closed.is_set():
                raise AgentGone("the agent is gone")
            try:
                await self._write(msgspec.json.encode(message) + b"\n")
            except InputClosed as fault:
                raise AgentGone(str(fault)) from fault


def unknown(subtype: Any) -> AskedWrongly:
    """Give the answer to a question that nobody here knows."""
    named = one_line(subtype, NAMED_BYTES) if isinstance(subtype, str) else "none"
    return AskedWrongly(f"unsupported request: {named}")


def _request(name: str, subtype: str, words: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "control_request",
        "request_id": name,
        "request": {"subtype": subtype, **words},
    }
