"""A launch, checked and turned into what the starter reads."""

import marshal
import os
from typing import NamedTuple

from subsessiond.model.process import ContainerKind, Launch, LaunchFault

MAX_STRING_BYTES = 128 * 1024
"""What Linux allows for one argument or variable, its closing NUL included (MAX_ARG_STRLEN)."""

MARKER_NAME = "SUBSESSION_NODE"
_ID_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
_ID_LENGTH = 100


class Order(NamedTuple):
    """What the starter is told; see `init.py`."""

    argv: tuple[bytes, ...]
    env: tuple[tuple[bytes, bytes], ...]
    cwd: bytes

    def write(self, kind: ContainerKind, join: str) -> int:
        """Lay the order down in memory.

        Args:
            kind: the container to build.
            join: `cgroup.procs` of the group to enter; empty for none.

        Returns:
            A descriptor to read it from, from its beginning.
        """
        text = marshal.dumps((str(kind), os.fsencode(join), self.argv, self.env, self.cwd))
        fd = os.memfd_create("order")
        try:
            view = memoryview(text)
            while view:
                view = view[os.write(fd, view) :]
            os.lseek(fd, 0, os.SEEK_SET)
        except BaseException:
            os.close(fd)
            raise
        return fd


PROBE = Order(argv=(), env=(), cwd=b"/")
"""Builds the container and runs nothing in it."""


def marker_of(node_id: str) -> str:
    """Give the mark that every process of a node carries.

    Raises:
        ValueError: the id would not do as a file name.
    """
    well = 0 < len(node_id) <= _ID_LENGTH and set(node_id) <= _ID_LETTERS
    if not well or node_id.startswith("."):
        raise ValueError(f"not a node id: {node_id[:_ID_LENGTH]!r}")
    return f"{MARKER_NAME}={node_id}"


def order_of(launch: Launch) -> Order:
    """Check a launch before anything is started.

    Raises:
        LaunchFault: no program named, a NUL in a string, or one that is too long; the words name
            the place and the limit, never the text.
    """
    argv0 = launch.argv[0] if launch.argv else ""
    if not argv0:
        raise LaunchFault("no program is named", argv0)
    argv = tuple(
        _encode(text, f"argument {number}", argv0) for number, text in enumerate(launch.argv)
    )
    marked = dict(launch.env) | {MARKER_NAME: launch.node_id}
    env = tuple(_variable(name, value, argv0) for name, value in marked.items())
    return Order(argv=argv, env=env, cwd=_encode(launch.cwd, "the folder", argv0))


def _variable(name: str, value: str, argv0: str) -> tuple[bytes, bytes]:
    if not name or "=" in name:
        raise LaunchFault("a variable of its environment has no proper name", argv0)
    where = f"variable {name[:64]} of its environment"
    _encode(f"{name}={value}", where, argv0)
    return os.fsencode(name), os.fsencode(value)


def _encode(text: str, where: str, argv0: str) -> bytes:
    try:
        data = os.fsencode(text)
    except UnicodeEncodeError:
        raise LaunchFault(f"{where} is not valid text", argv0[:256]) from None
    if b"\0" in data:
        raise LaunchFault(f"{where} holds a NUL", argv0[:256].replace("\0", "?"))
    if len(data) + 1 > MAX_STRING_BYTES:
        words = f"{where} has {len(data)} bytes; the system takes {MAX_STRING_BYTES - 1} at most"
        raise LaunchFault(words, argv0[:256])
    return data
