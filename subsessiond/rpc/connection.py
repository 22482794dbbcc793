"""The outgoing side of one WebSocket: replies and notifications, joined into few writes."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import msgspec

from subsessiond.rpc.running import Running

NOTES_MOST = 1_024
"""Notifications a slow reader may leave unread. Beyond it the reader is told to start over: one
read of the tree then costs less than what waits."""

NOTES_MOST_BYTES = 4 * 1024 * 1024
"""The same bound in bytes, so that a few large rows cannot hold the memory of many small ones."""

_REPLIES_AT_ONCE = 8
"""Replies that leave in one write: enough to save most writes, few enough that a reader with many
calls in flight reads while the rest is answered."""

_RESYNC = b'{"jsonrpc":"2.0","method":"events.resync","params":{}}'
_encode = msgspec.json.Encoder().encode


class Pipe(Protocol):
    """What a connection writes to."""

    def write(self, messages: Sequence[bytes]) -> None:
        """Send messages; never waits."""

    def is_congested(self) -> bool:
        """Whether the reader at the other end has fallen behind."""

    async def drain(self) -> None:
        """Return when the reader has caught up.

        Raises:
            ConnectionError: it is gone.
        """


class Connection:
    """One reader.

    Invariant: messages leave in the order in which they were queued, replies before notifications
    of the same turn of the loop; an overflow replaces all waiting notifications by one
    `events.resync`. Replies are bounded by the calls in flight.
    """

    def __init__(
        self, pipe: Pipe, running: Running, caught_up: Callable[[], None] = lambda: None
    ) -> None:
        self._pipe = pipe
        self._caught_up = caught_up
        self._running = running
        self._call_soon = asyncio.get_running_loop().call_soon
        self._replies: list[bytes] = []
        self._notes: deque[bytes] = deque()
        self._notes_bytes = 0
        self._is_flushing = False
        self._closing: list[Callable[[], None]] = []
        self.is_behind = False
        """Whether the reader is being waited for."""
        self.closed = False

    def notify(self, method: str, params: Any) -> None:
        """Queue one notification; never waits, never fails.

        Args:
            method: Name of the notification.
            params: A struct, a mapping or a `msgspec.Raw` made once for many readers.
        """
        if self.closed:
            return
        note = b'{"jsonrpc":"2.0","method":%b,"params":%b}' % (_encode(method), _encode(params))
        self._notes.append(note)
        self._notes_bytes += len(note)
        if len(self._notes) > NOTES_MOST or self._notes_bytes > NOTES_MOST_BYTES:
            self._notes.clear()
            self._notes.append(_RESYNC)
            self._notes_bytes = len(_RESYNC)
        self._flush_soon()

    def reply(self, message: bytes) -> None:
        """Queue the reply to a call; never waits."""
        self._replies.append(message)
        if len(self._replies) >= _REPLIES_AT_ONCE:
            self.flush()
        else:
            self._flush_soon()

    def on_close(self, callback: Callable[[], None]) -> None:
        """Call back once when the reader is gone; at once when it is gone already."""
        if self.closed:
            callback()
        else:
            self._closing.append(callback)

    def close(self) -> None:
        """Drop what waits and tell those who asked; idempotent."""
        if self.closed:
            return
        self.closed = True
        self._notes.clear()
        self._replies.clear()
        callbacks, self._closing = self._closing, []
        for callback in callbacks:
            callback()

    def flush(self) -> None:
        """Send all that waits, unless the reader is behind."""
        if self.closed or self.is_behind:
            return
        messages, self._replies = self._replies, []
        messages.extend(self._notes)
        self._notes.clear()
        self._notes_bytes = 0
        if messages:
            self._pipe.write(messages)
        if self._pipe.is_congested():
            self.is_behind = True
            self._running.start(self._catch_up())

    def _flush_soon(self) -> None:
        # Why not at once: what finishes in the same turn of the loop leaves in one write.
        if not self._is_flushing:
            self._is_flushing = True
            self._call_soon(self._flush)

    def _flush(self) -> None:
        self._is_flushing = False
        self.flush()

    async def _catch_up(self) -> None:
        try:
            await self._pipe.drain()
        except ConnectionError:
            self.close()
        self.is_behind = False
        self.flush()
        self._caught_up()
