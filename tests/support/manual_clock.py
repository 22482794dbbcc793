"""A clock that a test moves by hand; whoever sleeps on it wakes when it gets there."""

import asyncio
import heapq
from itertools import count

START_MS = 1_800_000_000_000


class ManualClock:
    """Keeps the clock's promises; time passes by `move` alone."""

    def __init__(self, at_ms: int = START_MS, awake_ms: int = 0) -> None:
        self._at_ms = at_ms
        self._awake_ms = awake_ms
        self._sleepers: list[tuple[int, int, asyncio.Future[None]]] = []
        self._numbers = count()
        self._came = asyncio.Condition()

    def wall_ms(self) -> int:
        """Milliseconds since 1970."""
        return self._at_ms

    def awake_ms(self) -> int:
        """Milliseconds awake."""
        return self._awake_ms

    async def sleep(self, ms: int) -> None:
        """Return once the clock was moved so far."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._awake_ms + ms, next(self._numbers), future))
        async with self._came:
            self._came.notify_all()
        await future

    async def wait_sleepers(self, wanted: int = 1) -> None:
        """Wait until so many sleep on it."""
        async with self._came:
            await self._came.wait_for(lambda: len(self._sleepers) >= wanted)

    async def move(self, ms: int) -> None:
        """Let time pass, from one sleeper to the next, so that each sees its own instant."""
        until = self._awake_ms + ms
        while self._sleepers and self._sleepers[0][0] <= until:
            due, _, future = heapq.heappop(self._sleepers)
            self.jump(max(0, due - self._awake_ms))
            if not future.done():
                future.set_result(None)
            for _ in range(5):  # let whoever woke go on, and sleep again
                await asyncio.sleep(0)
        self.jump(until - self._awake_ms)

    def jump(self, ms: int) -> None:
        """Let time pass for both clocks without waking anybody."""
        self._at_ms += ms
        self._awake_ms += ms

    def turn(self, ms: int) -> None:
        """Turn the wall clock alone, as somebody who sets it does."""
        self._at_ms += ms
