"""The socket in the file system: made for its owner alone, removed only when it is ours."""

import contextlib
import errno
import os
import socket
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

BACKLOG = 512
"""Callers that may wait to be accepted: more than a tree's children starting at once."""

PATH_MOST_BYTES = 100
"""Beyond it a path does not fit into a socket address (104 bytes on macOS, 108 on Linux)."""

_PROBE_S = 1.0


class SocketFault(Exception):
    """The socket cannot stand there; says where and what was found. Nothing was removed."""


@dataclass(frozen=True, slots=True)
class SocketFile:
    """A listening socket and the one file that belongs to it."""

    path: Path
    sock: socket.socket
    device: int
    inode: int

    def remove(self) -> bool:
        """Remove the file, if it is still the one that was made here.

        Returns:
            Whether it was; something else at that path is left alone.
        """
        try:
            found = os.lstat(self.path)
        except OSError:
            return False
        if (found.st_dev, found.st_ino) != (self.device, self.inode):
            return False
        self.path.unlink(missing_ok=True)
        return True


def listen(path: Path, *, holds_lock: bool) -> SocketFile:
    """Make a listening socket that only its owner can use, from its first instant.

    Args:
        path: Where; its folder is made when it is missing.
        holds_lock: Whether the caller holds the lock of the state directory. Only then a
            leftover without a listener is removed.

    Raises:
        SocketFault: something stands at the path that may not be removed.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _clear(path, holds_lock=holds_lock)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        _bind(sock, path)
        made = os.lstat(path)
        sock.listen(BACKLOG)
        sock.setblocking(False)  # noqa: FBT003 - the standard library has no other way
    except BaseException:
        sock.close()
        raise
    return SocketFile(path, sock, made.st_dev, made.st_ino)


def _bind(sock: socket.socket, path: Path) -> None:
    # Why a mask and not chmod: between bind and chmod the socket would be open to everybody. What
    # other threads make meanwhile is only narrower. Bind never replaces what stands at its path.
    before = os.umask(0o177)
    try:
        with short_path(path) as address:
            sock.bind(address)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        raise SocketFault(f"{path} was taken while the daemon was starting") from error
    finally:
        os.umask(before)


@contextlib.contextmanager
def short_path(path: Path) -> Iterator[str]:
    """Give an address for a socket's path that fits, for as long as bind or connect need it."""
    if len(os.fsencode(path)) <= PATH_MOST_BYTES:
        yield str(path)
        return
    before = os.umask(0o077)  # the mask of the bind would make a folder nobody can enter
    try:
        folder = Path(tempfile.mkdtemp(prefix="subsessiond-"))
    finally:
        os.umask(before)
    link = folder / "d"
    try:
        link.symlink_to(path.parent.absolute(), target_is_directory=True)
        yield str(link / path.name)
    finally:
        link.unlink(missing_ok=True)
        folder.rmdir()


def _clear(path: Path, *, holds_lock: bool) -> None:
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise SocketFault(f"{path} is there and is no socket; nothing was removed")
    found = _probe(path)
    if found is not None:
        raise SocketFault(f"{path} {found}; nothing was removed")
    if not holds_lock:
        raise SocketFault(f"{path} has no listener, and only the holder of the lock may remove it")
    path.unlink(missing_ok=True)


def _probe(path: Path) -> str | None:
    """Tell what a socket's listener does; none when there surely is no listener.

    Why only a refused connection counts: a busy, stopped or forbidden daemon is alive.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe, short_path(path) as address:
        probe.settimeout(_PROBE_S)
        try:
            probe.connect(address)
        except ConnectionRefusedError:
            return None
        except TimeoutError:
            return "has a listener that does not answer"
        except OSError as error:
            if error.errno == errno.EAGAIN:
                return "has a listener that is busy"
            return f"cannot be connected to ({error.strerror})"
    return "has a listener"
