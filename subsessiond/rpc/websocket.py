"""One WebSocket: messages come in as frames, answers go out as frames."""

import asyncio
import struct
from collections.abc import Sequence

from aiohttp import WSCloseCode, WSMsgType, web

from subsessiond.rpc.dispatch import Dispatcher
from subsessiond.rpc.flow import Flow, Identify
from subsessiond.rpc.running import Running

MESSAGE_MOST_BYTES = 8 * 1024 * 1024
_CONGESTED_BYTES = 256 * 1024
"""Unsent bytes from which on a reader counts as behind."""

_CLOSE_S = 0.4
"""How long a reader may take to say goodbye; half of the second in which streams must end."""

_FINAL_TEXT = 0x80 | WSMsgType.TEXT
_SHORT, _MEDIUM = 126, 1 << 16


def frame(message: bytes) -> bytes:
    """Put a message into one text frame, as a server sends it.

    Source: RFC 6455 §5.2.
    """
    size = len(message)
    if size < _SHORT:
        return bytes((_FINAL_TEXT, size)) + message
    if size < _MEDIUM:
        return struct.pack("!BBH", _FINAL_TEXT, 126, size) + message
    return struct.pack("!BBQ", _FINAL_TEXT, 127, size) + message


class WebSocket:
    """Reads messages, and is the pipe by which they are answered."""

    def __init__(
        self,
        request: web.BaseRequest,
        dispatcher: Dispatcher,
        identify: Identify,
        running: Running,
    ) -> None:
        # Why decode_text is off: the dispatcher names the field where bytes are no UTF-8, and a
        # text that is decoded here would be encoded again there. Why writer_limit is 0: every
        # frame sent through aiohttp then waits for room, which is what `drain` is for.
        self._response = web.WebSocketResponse(
            timeout=_CLOSE_S,
            compress=False,
            max_msg_size=MESSAGE_MOST_BYTES + 1,  # it refuses what is as large as this
            writer_limit=0,
            decode_text=False,
        )
        self._request = request
        self._transport: asyncio.Transport | None = None
        self._flow = Flow(self, dispatcher, identify, running)

    async def serve(self) -> web.StreamResponse:
        """Serve until the reader is gone or `close` is called."""
        await self._response.prepare(self._request)
        self._transport = self._request.transport
        try:
            while (message := await self._response.receive()).type in _CARRIES_DATA:
                await self._flow.take(message.data)
        finally:
            self._flow.close()
        return self._response

    async def close(self) -> None:
        """Say goodbye, and hang up on a reader that does not answer."""
        self._flow.connection.flush()
        self._flow.connection.close()
        try:
            async with asyncio.timeout(_CLOSE_S):
                await self._response.close(code=WSCloseCode.GOING_AWAY)
        except (TimeoutError, ConnectionError):
            pass
        if self._transport is not None:
            self._transport.abort()

    def write(self, messages: Sequence[bytes]) -> None:
        """Send messages as frames in one write."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(b"".join(map(frame, messages)))

    def is_congested(self) -> bool:
        """Whether much is unsent."""
        transport = self._transport
        return transport is not None and transport.get_write_buffer_size() > _CONGESTED_BYTES

    async def drain(self) -> None:
        """Wait until little is unsent, behind an unsolicited pong (RFC 6455 §5.5.3)."""
        await self._response.pong()


_CARRIES_DATA = frozenset({WSMsgType.TEXT, WSMsgType.BINARY})
