"""One request over HTTP: its answer is JSON, or events where something is said before it."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from aiohttp import hdrs, web

from subsessiond.rpc.connection import Connection
from subsessiond.rpc.dispatch import Answers
from subsessiond.rpc.refusals import JSON
from subsessiond.rpc.running import Running

EVENTS: Final = "text/event-stream"

_STREAM: Final[Mapping[str, str]] = {
    hdrs.CONTENT_TYPE: EVENTS,
    hdrs.CACHE_CONTROL: "no-cache, no-transform",
    "X-Accel-Buffering": "no",
}


class Exchange:
    """Waits for an answer, and is the pipe by which anything is said before it.

    Args:
        request: The message has been read from it.
        running: Keeps the calls.
        takes_events: Whether the client reads a stream; else what comes before is dropped.
        headers: Go out with the answer.
    """

    def __init__(
        self,
        request: web.BaseRequest,
        running: Running,
        headers: Mapping[str, str],
        *,
        takes_events: bool,
    ) -> None:
        self._request = request
        self._running = running
        self._headers = headers
        self._takes_events = takes_events
        self._said: deque[bytes] = deque()
        self._news = asyncio.Event()
        self.connection = Connection(self, running)

    async def answer(
        self, answers: Answers, status_of: Callable[[bytes], int]
    ) -> web.StreamResponse:
        """Run the calls and answer.

        Args:
            answers: The calls, none of which has begun.
            status_of: Gives the HTTP status of an answer that is sent as JSON.
        """
        work = self._running.start(_finish(answers))
        work.add_done_callback(lambda _: self._news.set())
        try:
            await self._news.wait()
            return await (self._stream(work) if self._said else self._reply(work, status_of))
        finally:
            # Also where the client went: what comes then is shown to nobody.
            self.connection.close()

    def write(self, messages: Sequence[bytes]) -> None:
        """Say something before the answer."""
        if self._takes_events:
            self._said.extend(messages)
            self._news.set()

    def is_congested(self) -> bool:
        """Never: signs of life come seldom, and the wait they belong to is short."""
        return False

    async def drain(self) -> None:
        """Nothing has to be waited for."""

    async def _reply(
        self, work: asyncio.Task[bytes | None], status_of: Callable[[bytes], int]
    ) -> web.StreamResponse:
        reply = await work
        if reply is None:  # it was taken back
            return web.Response(status=202, headers=self._headers)
        headers: dict[str, str] = {**JSON, **self._headers}
        return web.Response(status=status_of(reply), body=reply, headers=headers)

    async def _stream(self, work: asyncio.Task[bytes | None]) -> web.StreamResponse:
        response = web.StreamResponse(headers={**_STREAM, **self._headers})
        await response.prepare(self._request)
        while self._said or not work.done():
            while self._said:
                await response.write(event(self._said.popleft()))
            self._news.clear()
            if not work.done():
                await self._news.wait()
        if (reply := await work) is not None:
            await response.write(event(reply))
        await response.write_eof()
        return response


def event(message: bytes) -> bytes:
    """Put a message into one event; JSON as it is written here has no line ends."""
    return b"event: message\ndata: %b\n\n" % message


async def _finish(answers: Answers) -> bytes | None:
    return answers.join(await asyncio.gather(*answers.calls))
