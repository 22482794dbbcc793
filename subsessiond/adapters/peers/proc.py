"""What /proc tells of one process: descent, terminal, mark, place and command line."""

import os
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from subsessiond.model.peer import Spot

MARK: Final = b"SUBSESSION_NODE="
LINE_MOST: Final = 256
"""Ancestors looked at; deeper than any real one, so that a made-up depth costs a bounded time."""


ENVIRON_MOST_BYTES: Final = 4 * 1024 * 1024
"""Environments read for one caller, its ancestors' included: some milliseconds, though each of a
long line of processes may hold megabytes."""


class Stat(NamedTuple):
    """What one line of /proc/<pid>/stat says of descent and terminal."""

    spot: Spot
    ppid: int
    session: int
    terminal: int
    name: str = ""
    ended: bool = False
    """Whether it only waits for its parent to look."""


class VanishedError(Exception):
    """A process ended while it was looked at."""


def walk(pid: int) -> Iterator[Stat]:
    """Walk from a process up to the first one of the machine.

    Raises:
        VanishedError: one of them ended on the way.
    """
    for _ in range(LINE_MOST):
        stat = stat_of(pid)
        yield stat
        if stat.ppid == 0:
            return
        pid = stat.ppid
    raise VanishedError


def stat_of(pid: int) -> Stat:
    """Read one process.

    Raises:
        VanishedError: there is none with this number any more.
    """
    try:
        text = read(f"/proc/{pid}/stat")
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        raise VanishedError from None
    # The name may hold blanks and parentheses: it ends at the last one.
    front, _, rest = text.rpartition(b")")
    field = rest.split()
    return Stat(
        spot=Spot(pid=pid, start_ticks=int(field[19])),
        ppid=int(field[1]),
        session=int(field[3]),
        terminal=int(field[4]),
        name=front.partition(b"(")[2].decode("utf-8", "replace"),
        ended=field[0] in (b"Z", b"X"),
    )


def nearest_mark(pids: Iterable[int]) -> tuple[str, bool]:
    """Find the node that the environment of a process or of one above it names.

    Args:
        pids: The process and its ancestors, itself first.

    Returns:
        The nearest mark, empty without one; and whether the process's own environment could be
        read. What is beyond the bound counts as not marked: a mark only takes rights away, and
        whoever wants to be rid of one needs no large environment for it.
    """
    room, own_read = ENVIRON_MOST_BYTES, None
    for pid in pids:
        text = _environ(pid, room)
        own_read = text is not None if own_read is None else own_read
        if mark := _mark_in(text or b""):
            return mark, own_read
        room -= len(text or b"")
    return "", bool(own_read)


def _environ(pid: int, room: int) -> bytes | None:
    """Read a process's environment, within a bound; none when it may not be read."""
    try:
        return read(f"/proc/{pid}/environ", room) if room > 0 else None
    except OSError:
        return None


def _mark_in(environ: bytes) -> str:
    for entry in environ.split(b"\0") if MARK in environ else ():
        if entry.startswith(MARK):
            return entry[len(MARK) :].decode("ascii", "replace")
    return ""


def cgroup_of(pid: int) -> str:
    """Read a process's place in the unified hierarchy; empty without one."""
    try:
        text = read(f"/proc/{pid}/cgroup").decode("utf-8", "surrogateescape")
    except OSError:
        return ""
    places = (line[3:] for line in text.splitlines() if line.startswith("0::"))
    return next(places, "").removesuffix(" (deleted)")


def namespace_of(pid: int) -> str:
    """Name the process namespace a process lives in; empty when it may not be known."""
    try:
        return os.readlink(f"/proc/{pid}/ns/pid")
    except OSError:
        return ""


def arguments_of(pid: int) -> tuple[str, ...]:
    """Read a command line; empty when there is none."""
    try:
        text = read(f"/proc/{pid}/cmdline")
    except OSError:
        return ()
    return tuple(word.decode("utf-8", "replace") for word in text.split(b"\0") if word)


def read(path: str, most_bytes: int = 1 << 20) -> bytes:
    """Read a small file of the kernel; a file object would cost more than the reading."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        parts, left = [], most_bytes
        while left > 0 and (part := os.read(fd, min(left, 65_536))):
            parts.append(part)
            left -= len(part)
        return b"".join(parts)
    finally:
        os.close(fd)
