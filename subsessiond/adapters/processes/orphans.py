"""Processes that became our children because their parents ended.

The daemon is made a *subreaper*, so what a child leaves behind comes to it and stays traceable.
Whoever inherits must also wait, but only for what nobody else in this program waits for: a status
taken from somebody who needs it is lost.
"""

import ctypes
import os
import time
from collections.abc import Callable

from subsessiond.adapters.processes.proc import ProcTable, Stat

_PR_SET_CHILD_SUBREAPER = 36
_PR_GET_CHILD_SUBREAPER = 37
UNCLAIMED_S = 0.5
"""Whoever waits for a process of his own has done so long before: waiting takes no longer than the
loop's next turn, and a blocking call none at all."""


class Orphans:
    """Tells inherited children from our own and frees the numbers of those that ended."""

    def __init__(self, table: ProcTable) -> None:
        self._table = table
        self._awaited: set[int] = set()
        self._first_seen: dict[tuple[int, int], float] = {}
        self._own_session = os.getsid(0)
        self._inherited_before = _inherits()
        _set_inherits(on=True)

    def leave_alone(self, pid: int) -> None:
        """Note that a child of ours is waited for by its owner."""
        self._awaited.add(pid)

    def forget(self, pid: int) -> None:
        """Note that a child of ours was waited for."""
        self._awaited.discard(pid)

    def sweep(self, belongs: Callable[[Stat], bool] = lambda _: False) -> int:
        """Free the numbers of ended orphans.

        Args:
            belongs: whether an ended process is known to be an orphan of a child; all others are
                left for a while, in case somebody waits for them.

        Returns:
            How many are looked at but not free yet.
        """
        ended = [stat for stat in self._candidates() if self._has_ended(stat)]
        now = time.monotonic()
        seen = {stat.key: self._first_seen.get(stat.key, now) for stat in ended}
        self._first_seen = {
            stat.key: seen[stat.key]
            for stat in ended
            if not ((belongs(stat) or now - seen[stat.key] >= UNCLAIMED_S) and _reap(stat.pid))
        }
        return len(self._first_seen)

    def strays(self, stats: tuple[Stat, ...]) -> tuple[Stat, ...]:
        """Pick what has come to this process and is nobody's: where children have keepers, what a
        killed keeper kept.
        """
        ours = (stat for stat in stats if stat.ppid == os.getpid())
        return tuple(s for s in ours if s.pid not in self._awaited and s.sid != self._own_session)

    def close(self) -> None:
        """Let orphans go where they went before."""
        _set_inherits(on=self._inherited_before)

    def _candidates(self) -> tuple[Stat, ...]:
        pids = (pid for pid in self._table.children(os.getpid()) if pid not in self._awaited)
        stats = (self._table.stat(pid) for pid in pids)
        # Why: what this program starts for itself stays in its session; children get their own.
        return tuple(stat for stat in stats if stat and stat.sid != self._own_session)

    def _has_ended(self, stat: Stat) -> bool:
        """Look without taking, so that a wrong guess would cost nobody a status."""
        if not stat.is_ended:
            return False
        try:
            options = os.WEXITED | os.WNOHANG | os.WNOWAIT
            return os.waitid(os.P_PID, stat.pid, options) is not None
        except ChildProcessError:
            return False


def _inherits() -> bool:
    flag = ctypes.c_int(0)
    ctypes.CDLL(None).prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(flag), 0, 0, 0)
    return flag.value != 0


def _set_inherits(*, on: bool) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, int(on), 0, 0, 0)


def _reap(pid: int) -> bool:
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG) is not None
    except ChildProcessError:
        return True
