"""Begins work in its order, and goes on to the next as soon as one has to wait."""

import asyncio
from collections import deque
from collections.abc import Coroutine, Generator
from types import coroutine
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

    def add(self, work: Coroutine[Any, Any, None], *, at_once: bool = False) -> None:
        """Queue work, which must answer its own faults; never waits.

        Args:
            work: What is to be done.
            at_once: It hardly ever waits, and does not ask which task it is in before it does: it
                is begun here, without a task, where nothing stands before it.
        """
        if at_once and not self._queue:
            self._begin(work)
            return
        self._queue.append(work)
        self._serve()

    def close(self) -> None:
        """Drop what was not begun."""
        while self._queue:
            self._queue.popleft().close()

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            waits_for = work.send(None)
        except StopIteration:
            return
        self._running.start(_finish(work, waits_for))

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


async def _finish(work: Coroutine[Any, Any, None], waits_for: Any) -> None:
    """Go on with work that was begun outside any task, and waits."""
    await _rest(work, waits_for)


@coroutine
def _rest(work: Coroutine[Any, Any, None], waits_for: Any) -> Generator[Any, Any, None]:
    try:
        while True:
            try:
                told = yield waits_for
            except BaseException as fault:  # noqa: BLE001  # it is the work's: a cancellation
                waits_for = work.throw(fault)
            else:
                waits_for = work.send(told)
    except StopIteration:
        return
