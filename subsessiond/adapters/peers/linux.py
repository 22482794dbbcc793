"""Peers on Linux: the kernel names the process, and a descriptor keeps its number taken."""

import errno
import os
import select
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from subsessiond.adapters.peers.bridge import agent_above, is_bridge
from subsessiond.adapters.peers.proc import (
    Stat,
    VanishedError,
    arguments_of,
    cgroup_of,
    namespace_of,
    nearest_mark,
    read,
    stat_of,
    walk,
)
from subsessiond.model.peer import Peer
from subsessiond.model.process import AGENT, BRIDGE, Identity

SO_PEERPIDFD: Final = 77
"""Linux 6.5 and later; the socket module has no name for it yet."""

TRIES: Final = 3
"""An ancestor may end while the line is walked; then it is walked again."""

GONE: Final = "its process has ended"
FOREIGN: Final = "its process lives in another process namespace"
STRANGER: Final = "it belongs to another user"
HIDDEN: Final = "its environment cannot be read"
CROWDED: Final = "no descriptor is free to look at it"


class LinuxPeers:
    """Looks at peers by SO_PEERCRED and /proc."""

    missing: tuple[str, ...] = ()
    """Words for what this system cannot tell."""

    def __init__(self, daemon_pid: int | None = None, *, bridges_alone: bool = False) -> None:
        """Get ready.

        Args:
            daemon_pid: Process below which only children of ours live; none = this process.
            bridges_alone: Whether a bridge stands for itself, and not for the agent above it.
        """
        self._bridges_alone = bridges_alone
        self._daemon = os.getpid() if daemon_pid is None else daemon_pid
        self._boot = read("/proc/sys/kernel/random/boot_id").decode().strip()
        self._space = namespace_of(os.getpid())

    def look(self, sock: socket.socket) -> Peer:
        """Describe the process that connected this socket.

        It takes some tens of microseconds: once a connection, not once a call.

        Returns:
            The peer; what cannot be shown of it is its `problem`.
        """
        pid, uid, _ = struct.unpack(
            "3i", sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        )
        if pid <= 0:
            return Peer(pid=0, problem=FOREIGN)
        try:
            return self._look(sock, pid, uid)
        except OSError as fault:
            if fault.errno not in (errno.EMFILE, errno.ENFILE):
                raise
            return Peer(pid=pid, problem=CROWDED)

    def runs(self, identity: Identity) -> bool:
        """Tell whether a process that was seen before still runs."""
        try:
            stat = stat_of(identity.pid)
        except VanishedError:
            return False
        same = (self._boot, stat.spot.pid, stat.spot.start_ticks) == identity.process
        return same and not stat.ended

    def _look(self, sock: socket.socket, pid: int, uid: int) -> Peer:
        with _held(sock, pid) as alive:
            for _ in range(TRIES):
                try:
                    peer = self._describe(pid, uid)
                except VanishedError:
                    continue
                # Why last: the descriptor proves that all of this was read of one process.
                return peer if alive() else Peer(pid=pid, problem=GONE)
        return Peer(pid=pid, problem=GONE)

    def _describe(self, pid: int, uid: int) -> Peer:
        whole = tuple(walk(pid))
        own, pids = whole[0], [stat.spot.pid for stat in whole]
        below = self._daemon in pids[1:]
        # Why cut: what stands above the daemon says nothing about a child of ours.
        line = whole[: pids.index(self._daemon)] if below else whole
        spots = tuple(stat.spot for stat in line)
        is_ours = is_bridge(arguments_of(pid))
        marked, readable = nearest_mark(p for p in pids[: len(spots)] if p not in (1, self._daemon))
        return Peer(
            pid=pid,
            boot_id=self._boot,
            line=spots,
            below_daemon=below,
            marked=marked,
            cgroup=cgroup_of(pid),
            has_terminal=own.terminal != 0 and own.session in pids and not below,
            agent=self._agent(line, is_ours=is_ours),
            bridge=self._identity(own, BRIDGE) if is_ours else None,
            problem=self._problem(pid, uid, readable=readable),
        )

    def _problem(self, pid: int, uid: int, *, readable: bool) -> str:
        if uid != os.geteuid():
            return STRANGER
        if not readable and pid not in (1, self._daemon):
            return HIDDEN
        return "" if namespace_of(pid) == self._space else FOREIGN

    def _agent(self, line: tuple[Stat, ...], *, is_ours: bool) -> Identity | None:
        if is_ours and self._bridges_alone:
            return self._identity(line[0], AGENT)
        spot = agent_above(tuple(stat.spot for stat in line))
        return next((self._identity(stat, AGENT) for stat in line if stat.spot == spot), None)

    def _identity(self, stat: Stat, kind: str) -> Identity:
        return Identity(
            pid=stat.spot.pid,
            start_ticks=stat.spot.start_ticks,
            boot_id=self._boot,
            container=kind,
            marker="",
            name=stat.name,
        )


@contextmanager
def _held(sock: socket.socket, pid: int) -> Iterator["_Alive"]:
    """Hold on to the peer while it is looked at: its number cannot be given to another."""
    try:
        (fd,) = struct.unpack("i", sock.getsockopt(socket.SOL_SOCKET, SO_PEERPIDFD, 4))
    except OSError as fault:
        if fault.errno in (errno.EMFILE, errno.ENFILE):
            raise
        fd = _open_by_number(pid) if fault.errno == errno.ENOPROTOOPT else -1
    if fd < 0:
        yield _Alive(None)
        return
    try:
        yield _Alive(fd)
    finally:
        os.close(fd)


def _open_by_number(pid: int) -> int:
    """Open a pidfd where the kernel is too old to give the peer's own (before 6.5)."""
    try:
        return os.pidfd_open(pid)
    except ProcessLookupError:
        return -1


class _Alive:
    """Tells whether the process behind a pidfd has not ended."""

    def __init__(self, fd: int | None) -> None:
        self._fd = fd

    def __call__(self) -> bool:
        if self._fd is None:
            return False
        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        return not poll.poll(0)
