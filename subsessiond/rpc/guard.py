"""Keeps one caller from slowing the others: a bound on calls under way, and on refusals a minute.

Outside every verdict: what is decided depends on the registry alone, never on what a caller was
answered before. Time comes in as a number.
"""

from collections.abc import Hashable
from typing import Final

IN_FLIGHT_MOST: Final = 64
REFUSALS_MOST: Final = 60
"""Refusals a caller may collect at once; they are forgotten one by one over a minute."""

INTERVAL_MS: Final = 60_000 // REFUSALS_MOST
KEPT_MOST: Final = 4_096
"""Callers remembered before those who have nothing to be remembered for are forgotten."""


class Guard:
    """Counts calls and refusals by caller."""

    def __init__(self) -> None:
        self._in_flight: dict[Hashable, int] = {}
        self._clear_at: dict[Hashable, int] = {}
        """Awake clock at which the last refusal of a caller will be forgotten."""

    @property
    def in_flight(self) -> int:
        """How many guarded calls are under way."""
        return sum(self._in_flight.values())

    @property
    def remembered(self) -> int:
        """Of how many callers refusals are remembered."""
        return len(self._clear_at)

    def enter(self, caller: Hashable) -> bool:
        """Begin a call; tells whether it may go on, and counts it only then."""
        count = self._in_flight.get(caller, 0)
        if count >= IN_FLIGHT_MOST:
            return False
        self._in_flight[caller] = count + 1
        return True

    def leave(self, caller: Hashable) -> None:
        """End a call that was begun."""
        left = self._in_flight[caller] - 1
        if left:
            self._in_flight[caller] = left
        else:
            del self._in_flight[caller]

    def note_refusal(self, caller: Hashable, awake_ms: int) -> None:
        """Remember that a call was refused."""
        if len(self._clear_at) >= KEPT_MOST:
            self._forget(awake_ms)
        self._clear_at[caller] = max(self._clear_at.get(caller, 0), awake_ms) + INTERVAL_MS

    def wait_ms(self, caller: Hashable, awake_ms: int) -> int:
        """Tell how long a caller has to wait after too many refusals; 0 when it need not."""
        over = self._clear_at.get(caller, 0) - awake_ms - (REFUSALS_MOST - 1) * INTERVAL_MS
        return max(0, over)

    def _forget(self, awake_ms: int) -> None:
        self._clear_at = {key: at for key, at in self._clear_at.items() if at > awake_ms}
