"""The outgoing side of one WebSocket: replies and notifications, joined into few writes."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

import msgspec

NOTIFICATIONS_MOST = 1_024
"""Notifications a slow reader may leave unread; a page of 1,000 nodes changes at most so often
between two of its reads. Beyond it the reader is told to start over."""

NOTIFICATIONS_MOST_BYTES = 4 * 1024 * 1024
"""The same bound in bytes, so that a few large rows cannot hold the memory of many small ones."""

_RESYNC = b'{"jsonrpc":"2.0","method":"events.resync","params":{}}'
_encode = msgspec.json.Encoder().encode


class Connection:
    """One reader. Replies are bounded by the calls in flight, notifications by their queue.

    Invariant: replies and notifications leave in the order in which they were queued, except that
    an overflow replaces all waiting notifications by one `events.resync`.
    """

    def __init__(self) -> None:
        self._replies: list[bytes] = []
        self._notes: deque[bytes] = deque()
        self._notes_bytes = 0
        self._wake = asyncio.Event()
        self._closing: list[Callable[[], None]] = []
        self.closed = False

    def notify(self, method: str, params: Any) -> None:
        """Queue one notification; never waits.

        Args:
            method: Name of the notification.
            params: A struct, a mapping or a `msgspec.Raw` made once for many readers.
        """
        if self.closed:
            return
        note = b'{"jsonrpc":"2.0","method":%b,"params":%b}' % (_encode(method), _encode(params))
        self._notes.append(note)
        self._notes_bytes += len(note)
        if len(self._notes) > NOTIFICATIONS_MOST or self._notes_bytes > NOTIFICATIONS_MOST_BYTES:
            self._notes.clear()
            self._notes.append(_RESYNC)
            self._notes_bytes = len(_RESYNC)
        self._wake.set()

    def reply(self, message: bytes) -> None:
        """Queue the reply to a call; never waits."""
        self._replies.append(message)
        self._wake.set()

    def on_close(self, callback: Callable[[], None]) -> None:
        """Call back once when the reader is gone; at once when it is gone already."""
        if self.closed:
            callback()
        else:
            self._closing.append(callback)

    async def take(self) -> tuple[list[bytes], int]:
        """Wait for something to send.

        Returns:
            The messages in their order, and how many of them are replies.
        """
        await self._wake.wait()
        self._wake.clear()
        replies, self._replies = self._replies, []
        count = len(replies)
        replies.extend(self._notes)
        self._notes.clear()
        self._notes_bytes = 0
        return replies, count

    def close(self) -> None:
        """Drop what waits and tell those who asked; idempotent."""
        if self.closed:
            return
        self.closed = True
        self._notes.clear()
        callbacks, self._closing = self._closing, []
        for callback in callbacks:
            callback()
