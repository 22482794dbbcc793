"""Begins work in its order, and goes on to the next as soon as one has to wait."""

import asyncio
from collections import deque
from collections.abc import Coroutine
from typing import Any

from subsessiond.rpc.running import Running


class Lane:
    """One queue of work, served by as many tasks as there is work that waits, plus one.

    Why not a task for each: most calls end without ever waiting, and a task costs more than they
    do. Why not steps by hand: work may ask which task it is in (timeouts do), and is told right.

    Invariant: work is begun strictly in the order in which it was added.
    """

    def __init__(self, running: Running) -> None:
        self._running = running
        self._queue: deque[Coroutine[Any, Any, None]] = deque()
        self._is_served = False
        self._width = 1

    def add(self, work: Coroutine[Any, Any, None]) -> None:
        """Queue work, which must answer its own faults; never waits."""
        self._queue.append(work)
        self._serve()

    def close(self) -> None:
        """Drop what was not begun."""
        while self._queue:
            self._queue.popleft().close()

    def _serve(self) -> None:
        if self._is_served:
            return
        self._is_served = True
        for _ in range(self._width):
            self._running.start(self._work())
        # Runs right after the first steps of these tasks: what is still queued then stands behind
        # work that waits.
        asyncio.get_running_loop().call_soon(self._look)

    def _look(self) -> None:
        self._is_served = False
        # Why doubled: where some have to wait, most have to, and all shall be begun soon.
        self._width = min(2 * self._width, len(self._queue)) or 1
        if self._queue:
            self._serve()

    async def _work(self) -> None:
        while self._queue:
            await self._queue.popleft()
