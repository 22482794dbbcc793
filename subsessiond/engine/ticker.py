"""The one timer of the daemon: it moves the awake clock and asks for the sweep."""

from subsessiond.engine.registry import Registry
from subsessiond.model.commands import Sweep
from subsessiond.ports import Clock

TICK_MS = 1_000
"""How often the awake clock is moved: what a stall can be charged is at most two ticks."""

SWEEP_TICKS = 5
"""Ticks between two sweeps; limits are minutes, so seconds are exact enough."""


class Ticker:
    """Ticks until it is cancelled."""

    def __init__(self, registry: Registry, clock: Clock) -> None:
        self._registry = registry
        self._clock = clock

    async def run(self) -> None:
        """Tick for ever."""
        while True:
            for _ in range(SWEEP_TICKS):
                await self._clock.sleep(TICK_MS)
            # Why roots too: one that is idle for days is closed, one long closed is forgotten.
            if self._registry.tree.nodes:
                self._sweep()

    def _sweep(self) -> None:
        clock = self._clock
        self._registry.tell(Sweep(at_ms=clock.wall_ms(), awake_ms=clock.awake_ms()))
