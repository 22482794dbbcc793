"""The pipes to a process, without a task or a thread for any of them.

Owns three ends: output read when somebody asks (so a child that nobody reads is slowed down by its
pipe, not kept in our memory), errors read always into a bounded tail, input written in order.
"""

import asyncio
import os
import threading
from collections import deque
from concurrent.futures import Future

from subsessiond.model.process import InputClosed

CHUNK_BYTES = 64 * 1024
_DRAIN_CHUNKS = 32
"""A pipe holds 64 KiB, at most 1 MiB: reading further would be waiting for a writer."""
_LOOP_S = 5.0
"""How long another thread waits for the loop; it has a turn a moment later, or is over."""


class Output:
    """Reads a pipe when asked."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._loop = asyncio.get_running_loop()
        self._waiter: asyncio.Future[None] | None = None

    async def read_chunk(self) -> bytes:
        """Read the next bytes, 64 KiB at most; empty at the end or after `close`.

        Raises:
            RuntimeError: another reader waits already.
        """
        # Why: a process that prints faster than it is read would leave nobody else a turn.
        await asyncio.sleep(0)
        if self._waiter is not None:
            raise RuntimeError("one reader at a time")
        while self._fd >= 0:
            try:
                return os.read(self._fd, CHUNK_BYTES)
            except BlockingIOError:
                await self._wait_readable()
            except OSError:
                return b""
        return b""

    async def _wait_readable(self) -> None:
        self._waiter = self._loop.create_future()
        self._loop.add_reader(self._fd, self._wake)
        try:
            await self._waiter
        finally:
            self._waiter = None
            if self._fd >= 0:
                self._loop.remove_reader(self._fd)

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def close(self) -> None:
        """Give the descriptor back; a waiting reader gets the end."""
        if self._fd >= 0:
            self._loop.remove_reader(self._fd)
            os.close(self._fd)
            self._fd = -1
            self._wake()


class Tail:
    """Drains a pipe always and keeps its last bytes."""

    def __init__(self, fd: int, keep_bytes: int) -> None:
        self._fd = fd
        self._keep_bytes = keep_bytes
        self._kept = bytearray()
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._waiter: asyncio.Future[None] | None = None
        self._read_upto = 0
        self.total_bytes = 0
        """All that was ever written to it."""
        self._ended_lines = 0
        self._loop.add_reader(fd, self._take)

    def _take(self) -> bool:
        """Take one chunk; tells whether there may be more."""
        try:
            chunk = os.read(self._fd, CHUNK_BYTES)
        except BlockingIOError:
            return False
        except OSError:
            chunk = b""
        if not chunk:
            self.close()
            return False
        self.total_bytes += len(chunk)
        self._ended_lines += chunk.count(b"\n")
        self._kept += chunk
        if len(self._kept) > 2 * self._keep_bytes:
            del self._kept[: -self._keep_bytes]
        self._wake()
        return True

    @property
    def total_lines(self) -> int:
        """Lines that were ever written to it, a last one without its end included."""
        return self._ended_lines + bool(self._kept and not self._kept.endswith(b"\n"))

    def last(self, limit_bytes: int) -> bytes:
        """Give the last bytes, what stands in the pipe now included.

        Why the loop is asked by other threads: a descriptor that two of them close is somebody
        else's for the second.
        """
        if threading.get_ident() == self._thread:
            return self._last(limit_bytes)
        found: Future[bytes] = Future()
        try:
            self._loop.call_soon_threadsafe(lambda: found.set_result(self._last(limit_bytes)))
            return found.result(_LOOP_S)
        except (RuntimeError, TimeoutError):
            return self._end_of_kept(limit_bytes)  # the loop is over, or about to be

    def _last(self, limit_bytes: int) -> bytes:
        for _ in range(_DRAIN_CHUNKS):
            if self._fd < 0 or not self._take():
                break
        return self._end_of_kept(limit_bytes)

    def _end_of_kept(self, limit_bytes: int) -> bytes:
        limit = min(limit_bytes, self._keep_bytes)
        return bytes(self._kept[-limit:]) if limit > 0 else b""

    async def read_chunk(self) -> bytes:
        """Read what came since the last call and is still kept; empty at the end."""
        while self._read_upto == self.total_bytes and self._fd >= 0:
            self._waiter = self._waiter or self._loop.create_future()
            await asyncio.shield(self._waiter)
        fresh = min(self.total_bytes - self._read_upto, len(self._kept))
        self._read_upto = self.total_bytes
        return bytes(self._kept[-fresh:]) if fresh else b""

    def _wake(self) -> None:
        if self._waiter is not None:
            if not self._waiter.done():
                self._waiter.set_result(None)
            self._waiter = None

    def close(self) -> None:
        """Give the descriptor back; what was kept stays readable."""
        if self._fd >= 0:
            self._loop.remove_reader(self._fd)
            os.close(self._fd)
            self._fd = -1
            self._wake()


class Input:
    """Writes a pipe, whole messages in order."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._loop = asyncio.get_running_loop()
        self._queue: deque[tuple[memoryview, asyncio.Future[None]]] = deque()
        self._ending = False
        self._watching = False

    @property
    def is_open(self) -> bool:
        """Whether the process may still be waiting for input."""
        return self._fd >= 0

    async def write(self, data: bytes) -> None:
        """Write a message whole; a cancelled caller's message is written all the same.

        Raises:
            InputClosed: the process closed its end, or the input was ended.
        """
        await self.enqueue(data)

    def enqueue(self, data: bytes) -> asyncio.Future[None]:
        """Put a message behind those that wait; the future tells when it is written."""
        if self._fd < 0 or self._ending:
            raise InputClosed("its standard input is closed")
        done: asyncio.Future[None] = self._loop.create_future()
        self._queue.append((memoryview(data), done))
        self._pump()
        return done

    def end(self) -> None:
        """Close it once all that was written before is through."""
        self._ending = True
        self._pump()

    def _pump(self) -> None:
        while self._queue and self._fd >= 0:
            rest, done = self._queue[0]
            try:
                rest = rest[os.write(self._fd, rest[:CHUNK_BYTES]) :]
            except BlockingIOError:
                self._watch()
                return
            except OSError:  # it closed its end
                self.close()
                return
            if rest:
                self._queue[0] = (rest, done)
                continue
            self._queue.popleft()
            if not done.done():
                done.set_result(None)
        if self._fd >= 0:
            self._unwatch()
            if self._ending:
                self.close()

    def _watch(self) -> None:
        if not self._watching:
            self._loop.add_writer(self._fd, self._pump)
            self._watching = True

    def _unwatch(self) -> None:
        if self._watching:
            self._loop.remove_writer(self._fd)
            self._watching = False

    def close(self) -> None:
        """Close it at once; whoever still waits to write is told so."""
        if self._fd < 0:
            return
        self._unwatch()
        os.close(self._fd)
        self._fd = -1
        while self._queue:
            _, done = self._queue.popleft()
            if not done.done():
                done.set_exception(InputClosed("its standard input is closed"))
                done.exception()  # marks it as seen: nobody may be waiting any more
