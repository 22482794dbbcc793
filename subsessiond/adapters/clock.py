"""The real clock, and the awake clock beside it."""

import asyncio
import time
from collections.abc import Callable

STEP_MOST_MS = 2_000
"""The most that can pass between two ticks: a stall of the daemon is nobody's silence."""


def _monotonic_ms() -> int:
    return time.monotonic_ns() // 1_000_000


class SystemClock:
    """Wall time from the system; awake time added up in bounded steps.

    The monotonic clock stands still while Linux sleeps; on systems where it does not, and when the
    daemon itself is stopped, the bound of a step leaves the gap out.

    Args:
        step_most_ms: how much one step may add; more than the ticker's pace, far less than a limit.
        monotonic_ms: a clock that nobody sets, in milliseconds from anywhere.
    """

    def __init__(
        self,
        *,
        step_most_ms: int = STEP_MOST_MS,
        monotonic_ms: Callable[[], int] = _monotonic_ms,
    ) -> None:
        self._step_most_ms = step_most_ms
        self._monotonic_ms = monotonic_ms
        self._awake_ms = 0
        self._last_ms = monotonic_ms()

    def wall_ms(self) -> int:
        """Milliseconds since 1970."""
        return time.time_ns() // 1_000_000

    def awake_ms(self) -> int:
        """Milliseconds in which this daemon was awake; never jumps, never falls."""
        self._advance()
        return self._awake_ms

    async def sleep(self, ms: int) -> None:
        """Return after so many milliseconds, and move the awake clock."""
        await asyncio.sleep(ms / 1_000)
        self._advance()

    def _advance(self) -> None:
        now = self._monotonic_ms()
        self._awake_ms += min(max(0, now - self._last_ms), self._step_most_ms)
        self._last_ms = now
