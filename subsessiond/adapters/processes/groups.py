"""Where this daemon's cgroups stand: one group for the daemon, one below it for each child."""

import contextlib
import os
from collections.abc import Iterator

from subsessiond.adapters.processes.containers.cgroup import GROUP_PREFIX
from subsessiond.adapters.processes.proc import ProcTable

_MOUNT_ROOT, _MOUNT_POINT = 3, 4


class Groups:
    """Makes and removes the groups of one daemon.

    Args:
        parent: folder of the group in which the daemon's own group is made.
        table: to tell the daemons of left groups apart.
    """

    def __init__(self, parent: str, table: ProcTable) -> None:
        self._table = table
        self._parent = parent
        self._count = 0
        self.base = os.path.join(parent, own_name(table))

    def make(self, node_id: str) -> str:
        """Make a group for one child; gives its path.

        Raises:
            OSError: it cannot be made.
        """
        self._count += 1
        path = os.path.join(self.base, f"{node_id}.{self._count}")
        with contextlib.suppress(FileExistsError):
            os.mkdir(self.base)
        os.mkdir(path)
        return path

    def close(self) -> None:
        """Remove the daemon's group, when nothing is in it."""
        with contextlib.suppress(OSError):
            os.rmdir(self.base)

    def remove_stale(self) -> None:
        """Remove empty groups of daemons that are no more; what is in use stays by itself."""
        for base in _of_dead_daemons(self._parent, self._table):
            with contextlib.suppress(OSError):
                for child in (entry.path for entry in os.scandir(base) if entry.is_dir()):
                    with contextlib.suppress(OSError):
                        os.rmdir(child)
                os.rmdir(base)


def left_groups(table: ProcTable, node_id: str) -> tuple[str, ...]:
    """Find the groups that daemons which are no more have made for a node."""
    found = []
    for parent in dict.fromkeys(candidates(table)):
        for base in _of_dead_daemons(parent, table):
            with contextlib.suppress(OSError):
                names = (name for name in os.listdir(base) if name.rpartition(".")[0] == node_id)
                found += [os.path.join(base, name) for name in names]
    return tuple(found)


def _of_dead_daemons(parent: str, table: ProcTable) -> Iterator[str]:
    """Give the group of each daemon of ours that is proven to be no more."""
    for name in _listed(parent):
        parts = name.removeprefix(GROUP_PREFIX).split("-")
        if name.startswith(GROUP_PREFIX) and len(parts) == 3 and parts[1].isdigit():  # noqa: PLR2004
            boot, pid, start = parts
            alive = table.is_same(int(pid), int(start) if start.isdigit() else -1)
            if boot != table.boot_id[:8] or not alive:
                yield os.path.join(parent, name)


def _listed(folder: str) -> tuple[str, ...]:
    try:
        return tuple(os.listdir(folder))
    except OSError:  # not ours to read, or removed meanwhile
        return ()


def own_name(table: ProcTable) -> str:
    """Name the group of this process: boot, number and start, so that no two daemons share it."""
    stat = table.stat(os.getpid())
    start = stat.start_ticks if stat else 0
    return f"{GROUP_PREFIX}{table.boot_id[:8]}-{os.getpid()}-{start}"


def candidates(table: ProcTable) -> Iterator[str]:
    """Folders in which this process may be able to make groups, the likeliest first.

    They are its own group (a service or a user's session with delegation), then the root of the
    hierarchy (root, or a machine without a service manager).
    """
    own = table.cgroup(os.getpid())
    for root, point in _mounts(table):
        if own is not None and own.startswith(root):
            yield os.path.normpath(os.path.join(point, own[len(root) :].lstrip("/")))
        yield point


def _mounts(table: ProcTable) -> Iterator[tuple[str, str]]:
    """Give root and mount point of each mounted version 2 hierarchy; hybrid set-ups included."""
    for line in table.lend(lambda: table.read("/proc/self/mountinfo")).decode().splitlines():
        fields, _, kind = line.partition(" - ")
        if kind.startswith("cgroup2 "):
            words = fields.split()
            yield words[_MOUNT_ROOT], words[_MOUNT_POINT].replace("\\040", " ")


def is_writable(folder: str) -> bool:
    """Whether processes may be moved within this group (moving needs the common ancestor)."""
    return os.access(os.path.join(folder, "cgroup.procs"), os.W_OK) and os.access(
        folder, os.W_OK | os.X_OK
    )
