"""One pipe: lines of JSON come in as the body of a request, and go out as that of its answer.

Why over HTTP: the socket, its door, who is calling and the server's end are then the same as for
every other call. Why not a WebSocket: at the other end stands the standard library, which has none.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from aiohttp import ClientError, hdrs, web

from subsessiond.rpc.flow import Flow, Identify, Speaker
from subsessiond.rpc.lines import Lines
from subsessiond.rpc.running import Running

LINE_MOST_BYTES: Final = 16 * 1024 * 1024

_CONGESTED_BYTES: Final = 256 * 1024
"""Unsent bytes from which on a reader counts as behind."""

_CLOSE_S: Final = 0.4
"""How long a reader may take for the last bytes; half of the second in which streams must end."""


class LineSpeaker(Speaker, Protocol):
    """Knows what lines mean."""

    def too_long(self, limit: int) -> bytes:
        """Answer a line that was too long to be kept."""


class LinePipe:
    """Reads lines, and is the pipe by which they are answered.

    Args:
        request: Its body goes on until the other end is gone.
        speaker: Answers the lines.
        identify: Tells who is calling; asked once a line.
        running: Keeps the calls.
        holds: Is told how many bytes of an unfinished line are kept.
    """

    def __init__(
        self,
        request: web.BaseRequest,
        speaker: LineSpeaker,
        identify: Identify,
        running: Running,
        holds: Callable[[int], None],
    ) -> None:
        self._request = request
        self._speaker = speaker
        self._holds = holds
        self._response = web.StreamResponse(headers={hdrs.CONTENT_TYPE: "application/octet-stream"})
        self._transport: asyncio.Transport | None = None
        self._flow = Flow(self, speaker, identify, running)

    async def serve(self) -> web.StreamResponse:
        """Serve until the other end is gone or `close` is called."""
        await self._response.prepare(self._request)
        self._transport = self._request.transport
        try:
            await self._read()
        except (ClientError, ConnectionError):
            pass  # gone, which is how every pipe ends
        finally:
            self._flow.close()
            self._abort()
        return self._response

    async def close(self) -> None:
        """Send what waits, and hang up on a reader that does not take it."""
        self._flow.connection.flush()
        self._flow.connection.close()
        try:
            async with asyncio.timeout(_CLOSE_S):
                await self.drain()
        except (TimeoutError, ConnectionError):
            pass
        self._abort()

    def write(self, messages: Sequence[bytes]) -> None:
        """Send messages as lines in one write."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(b"".join(message + b"\n" for message in messages))

    def is_congested(self) -> bool:
        """Whether much is unsent."""
        transport = self._transport
        return transport is not None and transport.get_write_buffer_size() > _CONGESTED_BYTES

    async def drain(self) -> None:
        """Wait until little is unsent."""
        await self._request.writer.drain()

    async def _read(self) -> None:
        lines = Lines(LINE_MOST_BYTES)
        while data := await self._request.content.readany():
            for line in lines.feed(data):
                await self._take(line)
            self._holds(lines.held_bytes)

    async def _take(self, line: bytes | None) -> None:
        if line is None:
            self._flow.say(self._speaker.too_long(LINE_MOST_BYTES))
        elif line.strip():
            await self._flow.take(line)

    def _abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()
