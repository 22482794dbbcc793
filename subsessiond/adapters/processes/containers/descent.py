"""Held together by descent: the weakest kind, for where the kernel offers nothing.

Above each child stands a keeper of ours (`init.py`), to which everything comes that loses its
parent, so all that the child ever started hangs on it, whatever session or environment it has made
for itself. It carries the child's mark, so it is found by the node's name alone, and when the
daemon goes it ends all below it.

Of a child that kills its keeper everything comes to the daemon, where nobody else's orphans are.
Only if both are gone it takes one of the weaker traces: the mark in the environment, the session of
the first process, or what was seen before.
"""

import os
import signal
import time
from collections.abc import Callable, Iterable

from subsessiond.adapters.processes.containers.base import CONT, KILL, STOP, Container
from subsessiond.adapters.processes.proc import ProcTable, Scan, Stat
from subsessiond.model.process import ContainerKind, Identity

END_ALL = signal.Signals(signal.SIGRTMAX)
KEEPER_NAME = "subsession-init"
"""As `init.py` has them."""

FREEZE_PASSES = 20
"""Each pass stops one more generation; what forks faster than that is killed generation-wise."""


class Descent(Container):
    """All that descends from one first process."""

    def __init__(self, table: ProcTable, identity: Identity) -> None:
        super().__init__(table, identity)
        self.inherited: Callable[[tuple[Stat, ...]], tuple[Stat, ...]] = _nothing
        """Picks what came to this daemon because the keeper was killed."""
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
        inherited = {stat.key for stat in self.inherited(scan.stats)}
        # What is older than the leader is a stranger, whatever it carries.
        young = (stat for stat in scan.stats if stat.start_ticks >= self.identity.start_ticks)
        return tuple(
            stat
            for stat in young
            if stat.key == leader
            or stat.key in self._seen
            or stat.key in inherited
            or (holds_session and stat.sid == self.identity.pid)
            or scan.has_marker(stat, self._marker)
        )

    def terminate_leader(self) -> None:
        """Ask the keeper, which passes it on to the leader's group."""
        self._ask(self._keepers(self.members()))

    def kill(self) -> None:
        """Have the keeper end all below it, and help: stop all first, so that nothing forks away
        between the look and the blow, then kill.

        The keeper itself leaves when the kernel tells it that nothing is left. It is not killed: a
        look from here may miss what is always somebody else, and that would be free then.
        """
        self.signal_each(self._keepers(self.members()), CONT)
        self.signal_each(self._keepers(self.members()), END_ALL)
        frozen: set[tuple[int, int]] = set()
        for _ in range(FREEZE_PASSES):
            fresh = tuple(member for member in self._kept() if member.key not in frozen)
            if not fresh:
                break
            self.signal_each(fresh, STOP)
            frozen.update(member.key for member in fresh)
        self.signal_each(self._kept(), KILL)

    def _kept(self) -> tuple[Stat, ...]:
        members = self.members()
        keepers = self._keepers(members)
        return tuple(member for member in members if member not in keepers)

    def _keepers(self, members: tuple[Stat, ...]) -> tuple[Stat, ...]:
        """Pick the keeper; where only the node's name is known, by its own and its place on top."""
        if self.identity.container != ContainerKind.DESCENT:
            return ()  # looked for are strays of another kind, whose first process is no keeper
        if self.identity.pid:
            first = (self.identity.pid, self.identity.start_ticks)
            return tuple(member for member in members if member.key == first)
        pids = {member.pid for member in members}
        return tuple(m for m in members if m.name == KEEPER_NAME and m.ppid not in pids)

    def owns_ended(self, stat: Stat) -> bool:
        """Whether it was seen in here, or ended in the leader's session."""
        own_session = stat.sid == self.identity.pid and self.table.is_same(
            self.identity.pid, self.identity.start_ticks
        )
        return stat.key in self._seen or own_session


def _nothing(_: tuple[Stat, ...]) -> tuple[Stat, ...]:
    return ()


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
