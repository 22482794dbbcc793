"""Starts and ends the children of one daemon on Linux."""

import asyncio
import contextlib
import os
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from subsessiond.adapters.processes.birth import Ground, Names, container_of, start
from subsessiond.adapters.processes.child import Limits, Process
from subsessiond.adapters.processes.containers.base import Container
from subsessiond.adapters.processes.groups import left_groups
from subsessiond.adapters.processes.guests import Guests
from subsessiond.adapters.processes.ladder import Watch, empty
from subsessiond.adapters.processes.orders import Order, marker_of, order_of
from subsessiond.adapters.processes.orphans import UNCLAIMED_S, Orphans
from subsessiond.adapters.processes.proc import ProcTable
from subsessiond.adapters.processes.sites import Site, sites
from subsessiond.adapters.processes.words import explain
from subsessiond.model.ids import NodeId
from subsessiond.model.process import (
    ATTACHED,
    ContainerKind,
    Identity,
    Launch,
    LaunchFault,
    ProcessFault,
    Stopped,
)

SWEEP_S = 2.0
"""How often ended orphans are looked for while there are children: one timer for all of them."""


class _Live(NamedTuple):
    """A child that is not proven gone, and what holds it."""

    process: Process
    container: Container


class LinuxProcesses:
    """All children of one daemon, each in a container of its own.

    Args:
        container: `cgroup`, `pidns` or `descent`; the strongest that works here when not given.
        term_grace_ms: between asking a child to leave and killing it.
        close_stdin_ms: between the end of its input and asking.
        stderr_keep_bytes: how much of what each child wrote as errors is kept.

    Raises:
        ProcessFault: that container does not work here.
    """

    def __init__(
        self,
        *,
        container: str | None = None,
        term_grace_ms: int = 3_000,
        close_stdin_ms: int = 1_000,
        stderr_keep_bytes: int = 64 * 1024,
    ) -> None:
        self._table = ProcTable()
        self._orphans = Orphans(self._table)
        self._site = self._choose(container)
        self.guests = Guests(self._table)
        """Processes that somebody else started."""
        self.kind: str = str(self._site.kind)
        self._limits = Limits(term_grace_ms, close_stdin_ms, stderr_keep_bytes)
        self._live: dict[tuple[int, int], _Live] = {}
        self._open: set[Process] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._tell: Callable[[NodeId, Identity], None] = _tell_nobody

    def on_birth(self, tell: Callable[[NodeId, Identity], None]) -> None:
        """Tell who each child is from now on, before anything of it runs."""
        self._tell = tell

    def _choose(self, wanted: str | None) -> Site:
        if wanted == ContainerKind.DESCENT:
            return Site(ContainerKind.DESCENT)
        for site in sites(self._table):
            if wanted in (None, str(site.kind)):
                return site
        self._orphans.close()
        self._table.close()
        raise ProcessFault(f"this user cannot use containers of kind {wanted!r} on this machine")

    async def spawn(self, launch: Launch) -> Process:
        """Start a program in a container of its own; returns when it runs.

        Raises:
            LaunchFault: it cannot be run; nothing of it is left.
            ValueError: the node id would not do as a file name.
        """
        marker = marker_of(launch.node_id)
        order = order_of(launch)
        names = Names(argv0=launch.argv[0], cwd=launch.cwd)
        try:
            process = await self._start(launch.node_id, marker, order, names)
        except TimeoutError:
            raise LaunchFault("the starter did not answer in time", names.argv0) from None
        except OSError as fault:
            raise explain("start", fault.errno or 0, names.argv0, names.cwd) from fault
        if launch.stdin is not None:
            process.feed(launch.stdin)
        return process

    async def _start(self, node_id: str, marker: str, order: Order, names: Names) -> Process:
        group = self._site.groups.make(node_id) if self._site.groups else ""
        told = partial(self._tell, NodeId(node_id))
        ground = Ground(self._table, self._orphans, self._site.kind, group, marker, told)
        try:
            born, container = await start(ground, order, names)
        except BaseException:
            self._arm()
            if group:
                with contextlib.suppress(OSError):
                    os.rmdir(group)
            raise
        process = Process(born, self._limits, self)
        self._open.add(process)
        self._live[_key(born.identity)] = _Live(process, container)
        self._arm()
        return process

    def release(self, process: Process) -> None:
        """Free what an emptied container held: orphans first, while the leader proves them ours."""
        container = self._live.pop(_key(process.identity)).container
        self._orphans.sweep(container.owns_ended)
        process.leader.reap()
        self._orphans.forget(process.leader.pid)
        container.close()

    def forget(self, process: Process) -> None:
        """Let go of a closed process; what could not be ended is reaped when it does end."""
        self._open.discard(process)
        self._orphans.forget(process.leader.pid)

    async def end(self, identity: Identity, grace_ms: int | None = None) -> Stopped:
        """End what is left of a child, of this daemon or of an earlier one.

        Only processes proven to be of that child get a signal: by the boot, by number and start,
        by the kernel's list of the group, or by the mark they were started with.

        Args:
            identity: as it was stored.
            grace_ms: between asking and killing; the default of this object when not given.

        Returns:
            Whether force was needed, and words for what is left; for an identity that cannot be of
            our making these words say so, and nothing is signalled.
        """
        grace_ms = self._limits.term_grace_ms if grace_ms is None else grace_ms
        if (own := self._live.get(_key(identity))) is not None:
            return await own.process.stop(term_grace_ms=grace_ms)
        if identity.boot_id != self._table.boot_id:
            return Stopped(forced=False)
        if identity.container == ATTACHED:
            return Stopped(leftovers=self.guests.left(identity))
        try:
            container = container_of(self._table, identity)
        except ValueError as fault:
            return Stopped(forced=False, leftovers=(f"nothing was signalled: {fault}",))
        # Why: of many that are ended at once all are made before the first looks, and only looks
        # taken after a container was made can be shared.
        await asyncio.sleep(0)
        stopped = await empty(container, grace_ms, Watch(leader_gone=True))
        if not stopped.leftovers:
            self._orphans.sweep(container.owns_ended)
            container.close()
        return stopped

    async def end_named(self, node_id: str) -> Stopped:
        """End what an earlier daemon started for a node whose identity was not recorded.

        Proof is the mark of the node, for what carries it was started for this very node, and a
        dead daemon's group of that name, for what threw its mark away.
        """
        named = tuple(
            Identity(
                pid=0,
                start_ticks=0,
                boot_id=self._table.boot_id,
                container=str(ContainerKind.CGROUP if group else ContainerKind.DESCENT),
                cgroup=group,
                marker=marker_of(node_id),
            )
            for group in (*left_groups(self._table, node_id), "")
        )
        stops = [await self.end(identity) for identity in named]
        if self._site.groups:
            self._site.groups.remove_stale()
        return Stopped(
            forced=any(stopped.forced for stopped in stops),
            leftovers=tuple(words for stopped in stops for words in stopped.leftovers),
        )

    def is_alive(self, identity: Identity) -> bool:
        """Whether anything of that child can still run."""
        container = self._container(identity)
        return container is not None and not container.is_empty()

    def pids_of(self, identity: Identity) -> tuple[int, ...]:
        """Numbers of all processes of that child that can run now."""
        container = self._container(identity)
        return tuple(stat.pid for stat in container.members()) if container else ()

    def _container(self, identity: Identity) -> Container | None:
        own = self._live.get(_key(identity))
        if own is not None:
            return own.container
        if identity.boot_id != self._table.boot_id:
            return None
        with contextlib.suppress(ValueError):
            return container_of(self._table, identity)
        return None

    def _arm(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SWEEP_S, self._tick)

    def _tick(self) -> None:
        self._timer = None
        waiting = self._orphans.sweep()
        if waiting or self._live:
            self._arm()

    async def aclose(self) -> None:
        """End all children and give everything back; idempotent."""
        self.guests.close()
        await asyncio.gather(*(process.stop() for process, _ in tuple(self._live.values())))
        await asyncio.gather(*(process.aclose() for process in tuple(self._open)))
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._orphans.sweep():
            await asyncio.sleep(UNCLAIMED_S)
            self._orphans.sweep()
        self._orphans.close()
        if self._site.groups:
            self._site.groups.close()
        self._table.close()


def _key(identity: Identity) -> tuple[int, int]:
    return (identity.pid, identity.start_ticks)


def _tell_nobody(_node_id: NodeId, _identity: Identity) -> None:
    """Stand in until somebody asks."""
