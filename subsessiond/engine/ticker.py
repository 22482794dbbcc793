"""The one timer of the daemon: it moves the awake clock, asks for the sweep and for backups."""

from collections.abc import Awaitable, Callable

import structlog

from subsessiond.core.roots import idle_roots
from subsessiond.engine.registry import Registry
from subsessiond.model.commands import Sweep
from subsessiond.model.node import Node
from subsessiond.model.process import Identity
from subsessiond.ports import Clock, Stamps, Store, StoreFault

log = structlog.get_logger(__name__)

TICK_MS = 1_000
"""How often the awake clock is moved: what a stall can be charged is at most two ticks."""

SWEEP_TICKS = 5
"""Ticks between two sweeps; limits are minutes, so seconds are exact enough."""

BACKUP_TICKS = 24 * 3_600
"""Ticks between two backups: a day of awake time."""

FIRST_BACKUP_TICKS = 60
"""Ticks until a backup that is due at start: it would slow what a start has to do down."""


async def _nothing() -> None:
    """There is nothing to tidy up."""


def _nobody(_: Identity) -> bool:
    """No agent runs."""
    return False


class Ticker:
    """Ticks until it is cancelled.

    Args:
        registry: Is asked for the sweep.
        clock: Is moved.
        store: Is asked for backups.
        tidy: Is called once the start is over, and then every day: it lets old things go.
        runs: Tells whether the process of a root's agent still runs.
    """

    def __init__(
        self,
        registry: Registry,
        clock: Clock,
        store: Store,
        tidy: Callable[[], Awaitable[None]] = _nothing,
        runs: Callable[[Identity], bool] = _nobody,
    ) -> None:
        self._runs = runs
        self._tidy = tidy
        self._until_tidying = FIRST_BACKUP_TICKS
        self._registry = registry
        self._clock = clock
        self._store = store
        self._until_backup = FIRST_BACKUP_TICKS if store.backup_due else BACKUP_TICKS

    async def run(self) -> None:
        """Tick for ever."""
        while True:
            for _ in range(SWEEP_TICKS):
                await self._clock.sleep(TICK_MS)
            # Why roots too: one that is idle for days is closed, one long closed is forgotten.
            if self._registry.tree.nodes:
                self._sweep()
            self._until_backup -= SWEEP_TICKS
            if self._until_backup <= 0:
                self._until_backup = BACKUP_TICKS
                await self._back_up()
            self._until_tidying -= SWEEP_TICKS
            if self._until_tidying <= 0:
                self._until_tidying = BACKUP_TICKS
                await self._tidy_up()

    async def _tidy_up(self) -> None:
        try:
            await self._tidy()
        except OSError:
            # Why go on: what could not be removed today can be tomorrow.
            log.exception("nothing was tidied up")

    async def _back_up(self) -> None:
        try:
            await self._store.backup()
        except StoreFault:
            # Why go on: the store itself is not concerned, and the next day tries again.
            log.exception("no backup was taken")

    def _sweep(self) -> None:
        clock, registry = self._clock, self._registry
        idle = idle_roots(registry.tree, registry.policy, clock.wall_ms())
        attended = tuple(root.node_id for root in idle if self._is_attended(root))
        stamps = Stamps(at_ms=clock.wall_ms(), awake_ms=clock.awake_ms())
        registry.tell(Sweep(attended=attended, **stamps))

    def _is_attended(self, root: Node) -> bool:
        agents = (root.identity, *root.former)
        return any(agent is not None and self._runs(agent) for agent in agents)
