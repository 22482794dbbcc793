"""Held together by a process namespace: its first process is `init.py`, all others hang on it."""

from subsessiond.adapters.processes.containers.base import KILL, TERM, Container
from subsessiond.adapters.processes.proc import Stat


class PidNamespace(Container):
    """All processes of one namespace; the identity names its first one."""

    def is_empty(self) -> bool:
        """Whether the first process ended: the kernel lets it end after all others only."""
        stat = self.table.stat(self.identity.pid)
        return stat is None or stat.start_ticks != self.identity.start_ticks or stat.is_ended

    def members(self) -> tuple[Stat, ...]:
        """Our init and all below it: orphans in a namespace go to its first process."""
        found: dict[int, Stat] = {}
        waiting = [] if self.is_empty() else [self.identity.pid]
        while waiting:
            pid = waiting.pop()
            stat = self.table.stat(pid)
            if stat is not None and pid not in found:
                found[pid] = stat
                waiting.extend(self.table.children(pid))
        return tuple(found[pid] for pid in sorted(found) if not found[pid].is_ended)

    def terminate_leader(self) -> None:
        """Ask our init, which passes it on to the leader's group."""
        self.table.send(self.identity.pid, self.identity.start_ticks, TERM)

    def kill(self) -> None:
        """Kill the first process; the kernel kills the others before it lets it end."""
        self.table.send(self.identity.pid, self.identity.start_ticks, KILL)

    def owns_ended(self, stat: Stat) -> bool:
        """Whether it is the first process; all others are waited for by it."""
        return stat.key == (self.identity.pid, self.identity.start_ticks)
