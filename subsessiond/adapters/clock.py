"""The real clock, and the awake clock beside it."""

import asyncio
import time

STEP_MOST_MS = 2_000
"""The most that can pass between two ticks: a stall of the daemon is nobody's silence."""


class SystemClock:
    """Wall time from the system; awake time added up in bounded steps.

    The monotonic clock stands still while Linux sleeps; on systems where it does not, and when the
    daemon itself is stopped, the bound of a step leaves the gap out.
    """

    def __init__(self) -> None:
        self._awake_ms = 0
        self._last_ms = _monotonic_ms()

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
        now = _monotonic_ms()
        self._awake_ms += min(max(0, now - self._last_ms), STEP_MOST_MS)
        self._last_ms = now


def _monotonic_ms() -> int:
    return time.monotonic_ns() // 1_000_000
