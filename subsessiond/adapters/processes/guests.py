"""Processes that somebody else started and that joined as children: watched, asked, never killed.

Nothing holds together what such a process starts. While it lives its descent tells; after that only
a mark does, which stands in all that `subsession attach -- CMD` started and in nothing else.
"""

import asyncio
import contextlib
import fcntl
import os
import signal
import struct
from collections.abc import Callable
from typing import Final

from subsessiond.adapters.processes.proc import ProcTable, Stat
from subsessiond.model.process import Exit, Identity

NAMED_MOST: Final = 10
"""Processes that are named to a person; more are counted."""

STATUS_S: Final = 1.0
"""How long the status of a process is waited for that has ended: it is told when its parent has
taken note, which most do at once and some never do.
"""
_STEP_S: Final = 0.02

_GET_INFO: Final = 0xC040FF0B
_INFO: Final = struct.Struct("=QQ11Ii")
_INFO_EXIT: Final = 1 << 3
"""PIDFD_GET_INFO and PIDFD_INFO_EXIT of linux/pidfd.h; kernels before 6.15 tell no status."""


class Guests:
    """All processes of one daemon's guests.

    Args:
        table: reads the process table.
    """

    def __init__(self, table: ProcTable) -> None:
        self._table = table
        self._watched: set[Guest | _Rest] = set()

    def watch(self, identity: Identity) -> "Guest | None":
        """Watch a process; none when it has ended, or its number is another's."""
        fd = self._hold(identity.pid, identity.start_ticks) if self._is_here(identity) else None
        if fd is None:
            return None
        guest = Guest(self, fd)
        self._watched.add(guest)
        return guest

    def left(self, identity: Identity) -> tuple[str, ...]:
        """Say what is left of it and of what carries its mark; empty when nothing is."""
        found = self._members(identity)
        words = tuple(
            f"process {stat.pid} ({stat.name}) still runs; the daemon did not start it and does "
            "not end it"
            for stat in found[:NAMED_MOST]
        )
        more = len(found) - NAMED_MOST
        return (*words, f"and {more} more") if more > 0 else words

    def when_empty(self, identity: Identity, tell: Callable[[], None]) -> None:
        """Call back once, not at once, when nothing of that is left any more."""
        self._watched.add(_Rest(self, identity, tell))

    def hold_left(self, identity: Identity) -> tuple[int, ...]:
        """Give a pidfd of each process that is left; those that end meanwhile are left out."""
        held = (self._hold(stat.pid, stat.start_ticks) for stat in self._members(identity))
        return tuple(fd for fd in held if fd is not None)

    def forget(self, watch: "Guest | _Rest") -> None:
        """Let go of what is watched no longer."""
        self._watched.discard(watch)

    def close(self) -> None:
        """Watch nobody any more."""
        for watch in tuple(self._watched):
            watch.close()

    def _is_here(self, identity: Identity) -> bool:
        return identity.boot_id == self._table.boot_id

    def _members(self, identity: Identity) -> tuple[Stat, ...]:
        """Find the process and, by their mark, those it started; the ended count for nothing."""
        if not self._is_here(identity):
            return ()
        scan, mark = self._table.scan(), identity.marker.encode()
        return tuple(
            stat
            for stat in scan.stats
            if not stat.is_ended
            and stat.pid != os.getpid()
            and (
                stat.key == (identity.pid, identity.start_ticks)
                or (bool(mark) and scan.has_marker(stat, mark))
            )
        )

    def _hold(self, pid: int, start_ticks: int) -> int | None:
        try:
            fd = self._table.lend(lambda: os.pidfd_open(pid))
        except (ProcessLookupError, PermissionError):
            return None
        # Why after opening: the descriptor holds on to one process, whoever has the number later.
        if self._table.is_same(pid, start_ticks):
            return fd
        os.close(fd)
        return None


class Guest:
    """One process that joined.

    Args:
        guests: those it is one of.
        fd: its pidfd, whose owner this becomes.
    """

    def __init__(self, guests: Guests, fd: int) -> None:
        self._guests = guests
        self._fd = fd
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        self._loop.add_reader(fd, self._on_end)

    async def wait_exit(self) -> Exit:
        """Its end, and how it ended where the kernel tells those who are not its parent."""
        await self._ended.wait()
        until = self._loop.time() + STATUS_S
        # Why polling: that its parent has taken note is told to nobody else.
        while (found := _status(self._fd)) is None and self._loop.time() < until:  # noqa: ASYNC110
            await asyncio.sleep(_STEP_S)
        return found or Exit()

    def ask_to_leave(self) -> None:
        """Send it TERM, and nobody who has its number now."""
        if self._fd >= 0:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                signal.pidfd_send_signal(self._fd, signal.SIGTERM)

    def close(self) -> None:
        """Watch it no longer; idempotent."""
        self._guests.forget(self)
        if self._fd >= 0:
            self._loop.remove_reader(self._fd)
            os.close(self._fd)
            self._fd = -1

    def _on_end(self) -> None:
        self._loop.remove_reader(self._fd)
        self._ended.set()


class _Rest:
    """What is left of one, until the last of it has ended.

    Args:
        guests: find it.
        identity: who it was.
        tell: called once, when nothing is left.
    """

    def __init__(self, guests: Guests, identity: Identity, tell: Callable[[], None]) -> None:
        self._guests = guests
        self._identity = identity
        self._tell = tell
        self._loop = asyncio.get_running_loop()
        self._held: set[int] = set()
        self._look()

    def close(self) -> None:
        """Watch it no longer; idempotent."""
        self._guests.forget(self)
        self._tell = _tell_nobody
        for fd in tuple(self._held):
            self._drop(fd)

    def _look(self) -> None:
        """Hold on to each process that is left; when the last has ended, look again."""
        for fd in self._guests.hold_left(self._identity):
            self._held.add(fd)
            self._loop.add_reader(fd, self._on_end, fd)
        if not self._held:
            self._loop.call_soon(self._say)

    def _on_end(self, fd: int) -> None:
        self._drop(fd)
        if not self._held:
            self._look()

    def _drop(self, fd: int) -> None:
        self._loop.remove_reader(fd)
        os.close(fd)
        self._held.discard(fd)

    def _say(self) -> None:
        tell = self._tell
        self.close()
        tell()


def _tell_nobody() -> None:
    """Stand in when nobody wants to know any more."""


def _status(fd: int) -> Exit | None:
    """Read how a process ended; none while nobody has taken note of its end, or nobody tells."""
    if fd < 0:
        return None
    asked = bytearray(_INFO.pack(_INFO_EXIT, *(0,) * 13))
    try:
        fcntl.ioctl(fd, _GET_INFO, asked)
    except OSError:  # a kernel that does not tell
        return None
    mask, *_, status = _INFO.unpack(asked)
    if not mask & _INFO_EXIT:
        return None
    code = os.waitstatus_to_exitcode(status)
    return Exit(code=code) if code >= 0 else Exit(signal=-code)
