"""The shape of a container, and what all kinds do alike."""

import signal
from abc import ABC, abstractmethod

from subsessiond.adapters.processes.proc import ProcTable, Stat
from subsessiond.model.process import Identity

TERM, KILL = signal.Signals.SIGTERM, signal.Signals.SIGKILL
STOP, CONT = signal.Signals.SIGSTOP, signal.Signals.SIGCONT

_STATES = {
    "D": "it waits in the kernel, usually for a disk or a network file system",
    "T": "it is stopped",
    "t": "a debugger holds it",
}


class Container(ABC):
    """All processes of one child.

    It may be one that this daemon started or what an earlier one left: nothing here relies on
    being anybody's parent, and each signal goes to a process proven to be in here.
    """

    def __init__(self, table: ProcTable, identity: Identity) -> None:
        self.table = table
        self.identity = identity

    @abstractmethod
    def members(self) -> tuple[Stat, ...]:
        """Every process in here that can still run."""

    @abstractmethod
    def kill(self) -> None:
        """Send KILL to all; may be needed more than once."""

    @abstractmethod
    def owns_ended(self, stat: Stat) -> bool:
        """Whether this ended process, which nobody has waited for yet, was in here."""

    def is_empty(self) -> bool:
        """Whether it is proven that nothing in here can run any more."""
        return not self.members()

    def terminate_leader(self) -> None:
        """Ask the leader's process group to leave."""
        self._ask(tuple(m for m in self.members() if m.pgid == self.identity.pid))

    def terminate_all(self) -> None:
        """Ask everything in here to leave."""
        self._ask(self.members())

    def _ask(self, members: tuple[Stat, ...]) -> None:
        self.signal_each(members, TERM)
        # Why: what is stopped, or about to be, hears nothing until it goes on.
        self.signal_each(members, CONT)

    def signal_each(self, members: tuple[Stat, ...], number: signal.Signals) -> None:
        """Send a signal to these very processes."""
        for member in members:
            self.table.send(member.pid, member.start_ticks, number)

    def leftovers(self) -> tuple[str, ...]:
        """Words for each process that is still here."""
        return tuple(self._describe(member) for member in self.members())

    def _describe(self, stat: Stat) -> str:
        words = f"process {stat.pid} ({stat.name}) is still there after it was killed"
        uid = self.table.owner_uid(stat.pid)
        if uid is not None and self.table.uid not in (uid, 0):
            return f"{words}: it belongs to another user ({uid}), who alone can end it"
        why = _STATES.get(stat.state)
        return f"{words}: {why}" if why else words

    def close(self) -> None:  # noqa: B027  # only one kind leaves something on the machine
        """Remove what the container left on the machine; it is empty."""
