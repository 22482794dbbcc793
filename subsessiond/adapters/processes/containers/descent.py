"""Held together by descent: the weakest kind, for where the kernel offers nothing.

Four traces lead to a child's processes, and each covers what another loses: the parent's number
(lost when the parent ends), the session of the leader (left by `setsid`), the mark in the
environment (lost by `env -i`), and what was seen before. Only a process that loses all of them
before anybody looked escapes.
"""

import os
import time
from collections.abc import Iterable

from subsessiond.adapters.processes.containers.base import KILL, STOP, Container
from subsessiond.adapters.processes.proc import ProcTable, Scan, Stat
from subsessiond.model.process import Identity

FREEZE_PASSES = 20
"""Each pass stops one more generation; what forks faster than that is killed generation-wise."""


class Descent(Container):
    """All that descends from one leader."""

    def __init__(self, table: ProcTable, identity: Identity) -> None:
        super().__init__(table, identity)
        self._marker = os.fsencode(identity.marker)
        self._born = time.monotonic()
        self._seen: set[tuple[int, int]] = set()

    def members(self) -> tuple[Stat, ...]:
        """Every process in here that can still run; remembers all it saw."""
        return self._members_in(self.table.scan())

    def _members_in(self, scan: Scan) -> tuple[Stat, ...]:
        found = _closure(scan.stats, self._roots(scan))
        self._seen.update(stat.key for stat in found)
        return tuple(stat for stat in found if not stat.is_ended)

    def is_empty(self) -> bool:
        """Whether two looks find nothing."""
        return not any(self._members_in(scan) for scan in self.table.looks(self._born))

    def _roots(self, scan: Scan) -> tuple[Stat, ...]:
        """Those that a trace of their own leads to."""
        leader = (self.identity.pid, self.identity.start_ticks)
        # Why: as long as the leader's own entry is there, alive or not waited for, the number
        # cannot have been given to anybody else's session.
        holds_session = any(stat.key == leader for stat in scan.stats)
        # What is older than the leader is a stranger, whatever it carries.
        young = (stat for stat in scan.stats if stat.start_ticks >= self.identity.start_ticks)
        return tuple(
            stat
            for stat in young
            if stat.key == leader
            or stat.key in self._seen
            or (holds_session and stat.sid == self.identity.pid)
            or scan.has_marker(stat, self._marker)
        )

    def kill(self) -> None:
        """Stop all first, so that nothing forks away between the look and the blow; then kill."""
        frozen: set[tuple[int, int]] = set()
        for _ in range(FREEZE_PASSES):
            fresh = tuple(member for member in self.members() if member.key not in frozen)
            if not fresh:
                break
            self.signal_each(fresh, STOP)
            frozen.update(member.key for member in fresh)
        self.signal_each(self.members(), KILL)

    def owns_ended(self, stat: Stat) -> bool:
        """Whether it was seen in here, or ended in the leader's session."""
        own_session = stat.sid == self.identity.pid and self.table.is_same(
            self.identity.pid, self.identity.start_ticks
        )
        return stat.key in self._seen or own_session


def _closure(stats: tuple[Stat, ...], roots: Iterable[Stat]) -> tuple[Stat, ...]:
    """The roots and all below them; never this daemon itself."""
    below: dict[int, list[Stat]] = {}
    for stat in stats:
        below.setdefault(stat.ppid, []).append(stat)
    found: dict[int, Stat] = {}
    waiting = list(roots)
    while waiting:
        stat = waiting.pop()
        if stat.pid not in found and stat.pid not in (1, os.getpid()):
            found[stat.pid] = stat
            waiting.extend(below.get(stat.pid, ()))
    return tuple(found[pid] for pid in sorted(found))
