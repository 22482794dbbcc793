"""Which containers this machine offers this user, found out by building one of each."""

import contextlib
import os
from collections.abc import Iterator
from typing import NamedTuple

from subsessiond.adapters.processes.birth import probe
from subsessiond.adapters.processes.groups import Groups, candidates, is_writable
from subsessiond.adapters.processes.orders import PROBE
from subsessiond.adapters.processes.orphans import Orphans
from subsessiond.adapters.processes.proc import ProcTable
from subsessiond.model.process import ContainerKind


class Site(NamedTuple):
    """A kind of container that works here, and where its groups stand."""

    kind: ContainerKind
    groups: Groups | None = None


def sites(table: ProcTable) -> Iterator[Site]:
    """Give what works, strongest first; each is tried when it is asked for."""
    groups = _usable_groups(table)
    if groups is not None:
        yield Site(ContainerKind.CGROUP, groups)
    if probe(ContainerKind.PIDNS, "", PROBE):
        yield Site(ContainerKind.PIDNS)
    yield Site(ContainerKind.DESCENT)


def _usable_groups(table: ProcTable) -> Groups | None:
    for parent in dict.fromkeys(candidates(table)):
        if is_writable(parent):
            groups = Groups(parent, table)
            if _works(groups):
                groups.remove_stale()
                return groups
    return None


def _works(groups: Groups) -> bool:
    try:
        group = groups.make("probe")
    except OSError:
        return False
    try:
        return probe(ContainerKind.CGROUP, group, PROBE)
    finally:
        with contextlib.suppress(OSError):
            os.rmdir(group)
        groups.close()


def available_containers() -> tuple[str, ...]:
    """Give the kinds that work for this user on this machine, strongest first.

    Blocks for about 50 ms: one of each is built. Empty where there is no /proc (not Linux).
    """
    if not os.path.exists("/proc/self/stat"):
        return ()
    table = ProcTable()
    orphans = Orphans(table)
    try:
        return tuple(str(site.kind) for site in sites(table))
    finally:
        orphans.close()
        table.close()
