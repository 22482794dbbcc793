"""One WebSocket: messages begin in their order and run side by side."""

import asyncio
import struct
from collections.abc import Awaitable, Callable, Sequence

from aiohttp import WSCloseCode, WSMsgType, web

from subsessiond.model.commands import Caller
from subsessiond.rpc.call import Call
from subsessiond.rpc.connection import Connection
from subsessiond.rpc.dispatch import Answers, Dispatcher
from subsessiond.rpc.lane import Lane
from subsessiond.rpc.refused import Refused
from subsessiond.rpc.running import Running

MESSAGE_MOST_BYTES = 8 * 1024 * 1024
IN_FLIGHT_MOST = 128
"""Calls of one connection that may run at once. More wait in the socket, unread."""

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
    """Reads messages, begins their calls, and is the pipe of its connection."""

    def __init__(
        self,
        request: web.BaseRequest,
        dispatcher: Dispatcher,
        identify: Callable[[], Awaitable[Caller] | Caller],
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
        self._dispatcher = dispatcher
        self._identify = identify
        self._transport: asyncio.Transport | None = None
        self._lane = Lane(running)
        self._call: Call | None = None
        self._in_flight = 0
        self._room: asyncio.Future[None] | None = None
        self.connection = Connection(self, running, self._wake_reader)

    async def serve(self) -> web.StreamResponse:
        """Serve until the reader is gone or `close` is called."""
        await self._response.prepare(self._request)
        self._transport = self._request.transport
        try:
            while (message := await self._response.receive()).type in _CARRIES_DATA:
                await self._begin(message.data)
                while self._in_flight >= IN_FLIGHT_MOST or self.connection.is_behind:
                    await self._wait_for_room()
        finally:
            self.connection.close()
            self._lane.close()
        return self._response

    async def close(self) -> None:
        """Say goodbye, and hang up on a reader that does not answer."""
        self.connection.flush()
        self.connection.close()
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

    async def _begin(self, raw: bytes) -> None:
        try:
            caller = self._identify()
            if not isinstance(caller, Caller):
                caller = await caller
        except Refused as refused:
            self._say(self._dispatcher.refuse(raw, refused.rejection))
            return
        if self._call is None or self._call.caller is not caller:
            self._call = Call(caller, self.connection)
        answers = self._dispatcher.split(raw, self._call)
        self._in_flight += len(answers.calls)
        if answers.is_batch:
            self._begin_batch(answers)
        elif answers.calls:
            self._lane.add(self._answer(answers.calls[0]))
        else:
            self._say(answers.ready)

    def _begin_batch(self, answers: Answers) -> None:
        said: list[bytes | None] = [None] * len(answers.calls)
        waiting = len(said)

        async def answer(place: int, call: Awaitable[bytes | None]) -> None:
            nonlocal waiting
            try:
                said[place] = await call
            finally:
                waiting -= 1
                self._make_room()
            if waiting == 0:
                self._say(answers.join(said))

        for place, call in enumerate(answers.calls):
            self._lane.add(answer(place, call))

    async def _answer(self, call: Awaitable[bytes | None]) -> None:
        try:
            reply = await call
        finally:
            self._make_room()
        self._say(reply)

    def _say(self, reply: bytes | None) -> None:
        if reply is not None and not self.connection.closed:
            self.connection.reply(reply)

    async def _wait_for_room(self) -> None:
        self._room = asyncio.get_running_loop().create_future()
        try:
            await self._room
        finally:
            self._room = None

    def _make_room(self) -> None:
        self._in_flight -= 1
        self._wake_reader()

    def _wake_reader(self) -> None:
        if self._room is not None and not self._room.done():
            self._room.set_result(None)


_CARRIES_DATA = frozenset({WSMsgType.TEXT, WSMsgType.BINARY})
