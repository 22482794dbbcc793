"""What the kernel tells about processes, and signals that reach only whom they are meant for.

Owns reading /proc and sending proven signals. It knows no node and no container.
"""

import contextlib
import errno
import os
import signal
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

T = TypeVar("T")

SHARED_S = 0.02
"""How old a look at all processes may be to be shared."""

SPARE_DESCRIPTORS = 3
"""Kept back so that children can be ended when no descriptor is left: a listing takes two."""


class Stat(NamedTuple):
    """One process, as one read of /proc/<pid>/stat saw it."""

    pid: int
    name: str
    state: str
    ppid: int
    pgid: int
    sid: int
    threads: int
    start_ticks: int

    @property
    def key(self) -> tuple[int, int]:
        """Number and start: names one process for the whole boot."""
        return (self.pid, self.start_ticks)

    @property
    def is_ended(self) -> bool:
        """Whether nothing of it can run: a zombie, unless other threads of it live on."""
        return self.state in "ZX" and self.threads <= 1


def parse_stat(text: bytes) -> Stat:
    """Parse the line; the name may hold blanks and parentheses, so it ends at the last one."""
    head, _, tail = text.rpartition(b")")
    pid, _, name = head.partition(b"(")
    field = tail.split()
    return Stat(
        pid=int(pid),
        name=name.decode("utf-8", "replace"),
        state=chr(field[0][0]),
        ppid=int(field[1]),
        pgid=int(field[2]),
        sid=int(field[3]),
        threads=int(field[17]),
        start_ticks=int(field[19]),
    )


class Scan:
    """One look at all processes; environments are read when they are asked for, once."""

    def __init__(self, table: "ProcTable", at: float, stats: tuple[Stat, ...]) -> None:
        self.at = at
        self.stats = stats
        self._table = table
        self._environs: dict[int, frozenset[bytes]] = {}

    def has_marker(self, stat: Stat, marker: bytes) -> bool:
        """Whether the environment a process was started with holds this `NAME=value`."""
        if stat.pid not in self._environs:
            self._environs[stat.pid] = self._table.environ(stat.pid)
        return marker in self._environs[stat.pid]


class ProcTable:
    """Reads the process table; survives running out of descriptors."""

    def __init__(self) -> None:
        self._spare: list[int] = []
        self._recent: tuple[Scan, ...] = ()
        self.uid = os.geteuid()
        self.boot_id = self.read("/proc/sys/kernel/random/boot_id").decode().strip()
        self._refill()

    def stat(self, pid: int) -> Stat | None:
        """Read one process; `None` when there is none with this number."""
        text = self.lend(lambda: self._read_or_none(f"/proc/{pid}/stat"))
        return parse_stat(text) if text else None

    def is_same(self, pid: int, start_ticks: int) -> bool:
        """Whether this number still belongs to the process that started then (ended or not)."""
        stat = self.stat(pid)
        return stat is not None and stat.start_ticks == start_ticks

    def scan(self) -> Scan:
        """Read every process there is, now."""
        scan = Scan(self, time.monotonic(), self.lend(self._scan))
        self._recent = (*self._recent[-1:], scan)
        return scan

    def looks(self, not_before: float) -> Iterator[Scan]:
        """Give two looks at all processes, both taken after an instant and not long ago.

        Two, because one may miss a fork between its reads. Many containers ended at once share
        them: what was empty once stays empty.
        """
        oldest = max(not_before, time.monotonic() - SHARED_S)
        recent = [scan for scan in self._recent if scan.at >= oldest]
        yield from recent
        for _ in range(2 - len(recent)):
            yield self.scan()

    def _scan(self) -> tuple[Stat, ...]:
        names = [name for name in os.listdir("/proc") if name.isdigit()]
        texts = (self._read_or_none(f"/proc/{name}/stat") for name in names)
        return tuple(parse_stat(text) for text in texts if text)

    def environ(self, pid: int) -> frozenset[bytes]:
        """The environment a process was started with; empty where it may not be read."""
        text = self.lend(lambda: self._read_or_none(f"/proc/{pid}/environ"))
        return frozenset((text or b"").split(b"\0"))

    def cgroup(self, pid: int) -> str | None:
        """The process's place in the unified hierarchy, relative to its namespace's root."""
        text = self.lend(lambda: self._read_or_none(f"/proc/{pid}/cgroup")) or b""
        for line in text.decode("utf-8", "surrogateescape").splitlines():
            if line.startswith("0::"):
                return line[3:].removesuffix(" (deleted)")
        return None

    def children(self, pid: int) -> tuple[int, ...]:
        """Numbers of the direct children of all threads of a process."""
        return self.lend(lambda: self._children(pid))

    def _children(self, pid: int) -> tuple[int, ...]:
        try:
            tasks = os.listdir(f"/proc/{pid}/task")
        except (FileNotFoundError, ProcessLookupError):
            return ()
        texts = [self._read_or_none(f"/proc/{pid}/task/{task}/children") for task in tasks]
        if all(text is None for text in texts):  # a kernel without this file
            return tuple(stat.pid for stat in self._scan() if stat.ppid == pid)
        return tuple(int(child) for text in texts for child in (text or b"").split())

    def send(self, pid: int, start_ticks: int, number: signal.Signals) -> bool:
        """Send a signal to this very process and to no other that took its number.

        Returns:
            Whether it was sent; `False` also when it may not be signalled by this user.
        """
        return self.lend(lambda: self._send(pid, start_ticks, number))

    def _send(self, pid: int, start_ticks: int, number: signal.Signals) -> bool:
        try:
            pidfd = os.pidfd_open(pid)
        except (ProcessLookupError, PermissionError):
            return False
        try:
            # Why after opening: the descriptor holds on to one process, whoever has the number
            # later; the start time read now is of that process or the signal goes nowhere.
            if not self.is_same(pid, start_ticks):
                return False
            signal.pidfd_send_signal(pidfd, number)
        except (ProcessLookupError, PermissionError):
            return False
        else:
            return True
        finally:
            os.close(pidfd)

    def owner_uid(self, pid: int) -> int | None:
        """The user a process belongs to; `None` when it is gone."""
        with contextlib.suppress(OSError):
            return os.stat(f"/proc/{pid}").st_uid
        return None

    def lend(self, work: Callable[[], T]) -> T:
        """Do something that needs descriptors; when there are none, give back the spare ones."""
        try:
            return work()
        except OSError as fault:
            if fault.errno not in (errno.EMFILE, errno.ENFILE) or not self._spare:
                raise
        self.close()
        try:
            return work()
        finally:
            self._refill()

    def _refill(self) -> None:
        with contextlib.suppress(OSError):
            while len(self._spare) < SPARE_DESCRIPTORS:
                self._spare.append(os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC))

    def read(self, path: str) -> bytes:
        """Read a small file of the kernel whole."""
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            parts = []
            while part := os.read(fd, 65536):
                parts.append(part)
            return b"".join(parts)
        finally:
            os.close(fd)

    def _read_or_none(self, path: str) -> bytes | None:
        """Read a file of a process; `None` when the process is gone or not ours to read."""
        try:
            return self.read(path)
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            return None

    def close(self) -> None:
        """Give the spare descriptors back."""
        while self._spare:
            os.close(self._spare.pop())
