"""Held together by a cgroup (version 2) of its own."""

import contextlib
import functools
import os
from collections.abc import Iterator
from pathlib import PurePosixPath

from subsessiond.adapters.processes.containers.base import KILL, Container
from subsessiond.adapters.processes.containers.descent import Descent
from subsessiond.adapters.processes.proc import ProcTable, Stat
from subsessiond.model.process import Identity

GROUP_PREFIX = "subsessiond-"
"""Every daemon's group begins with this: no other group is ever written to."""


class CgroupRefused(ValueError):
    """The identity names a group that no daemon of ours can have made."""


class Cgroup(Container):
    """All processes of one group and the groups below it.

    Root may move a process out, and so may `systemd-run`, so those who carry the child's mark
    outside are looked for as well before the container counts as empty.
    """

    def __init__(self, table: ProcTable, identity: Identity) -> None:
        super().__init__(table, identity)
        self._path = identity.cgroup
        parts = PurePosixPath(identity.cgroup).parts
        if len(parts) < 3 or not parts[-2].startswith(GROUP_PREFIX) or ".." in parts:  # noqa: PLR2004
            raise CgroupRefused(f"{identity.cgroup!r} is not a group of ours")
        self._place = f"/{parts[-2]}/{parts[-1]}/"
        self._strays = Descent(table, identity)

    def is_empty(self) -> bool:
        """Whether the kernel says so, and no marked process is left outside."""
        return not self._is_populated() and self._strays.is_empty()

    def _is_populated(self) -> bool:
        try:
            events = self.table.lend(lambda: self.table.read(f"{self._path}/cgroup.events"))
        except OSError:  # ENODEV: removed between opening and reading
            if os.path.isdir(self._path):
                raise
            return False
        return b"populated 1" in events

    def members(self) -> tuple[Stat, ...]:
        """Every process the kernel lists, and marked ones outside once that list is empty."""
        listed = tuple(self._listed())
        return listed or (() if self._is_populated() else self._strays.members())

    def _listed(self) -> Iterator[Stat]:
        for folder in self._folders():
            for pid in self._pids(folder):
                stat = self.table.stat(pid)
                # Why the second look: the number may have changed hands since it was listed.
                if stat is not None and not stat.is_ended and self._holds(pid):
                    yield stat

    def _folders(self) -> tuple[str, ...]:
        """The group and all groups below it, the deepest first."""
        walk = functools.partial(os.walk, self._path, topdown=False, onerror=_unless_removed)
        walked = self.table.lend(lambda: tuple(walk()))
        return tuple(folder for folder, _, _ in walked)

    def _pids(self, folder: str) -> tuple[int, ...]:
        try:
            text = self.table.lend(lambda: self.table.read(f"{folder}/cgroup.procs"))
        except (
            OSError
        ):  # removed meanwhile, or a group of threads, whose parent lists its processes
            return ()
        return tuple(int(pid) for pid in text.split())

    def _holds(self, pid: int) -> bool:
        place = self.table.cgroup(pid)
        return place is not None and self._place in f"{place}/"

    def kill(self) -> None:
        """End the whole group with one write; without that file (before Linux 5.14) one by one."""
        try:
            self.table.lend(lambda: write(f"{self._path}/cgroup.kill", b"1"))
        except OSError:
            self.signal_each(tuple(self._listed()), KILL)
        if not self._is_populated():
            self._strays.kill()

    def owns_ended(self, stat: Stat) -> bool:
        """Whether it ended in this group (its place stays readable until it is waited for)."""
        return self._holds(stat.pid) or self._strays.owns_ended(stat)

    def close(self) -> None:
        """Remove the group and those below it."""
        for folder in self._folders():
            with contextlib.suppress(OSError):
                os.rmdir(folder)
        with contextlib.suppress(OSError):  # the daemon's own group, when this was its last one
            os.rmdir(os.path.dirname(self._path))


def _unless_removed(fault: OSError) -> None:
    if not isinstance(fault, FileNotFoundError):
        raise fault


def write(path: str, text: bytes) -> None:
    """Write to a control file of the kernel, in one piece."""
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, text)
    finally:
        os.close(fd)
