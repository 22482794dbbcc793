"""Where the daemon's socket is, and a connection to it.

Owns the search order of sockets and the check of their owner. It knows no method of the contract.
"""

import os
import socket
import stat
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from subsession.errors import Unreachable

PATH_LIMIT_BYTES = 100
"""Longest socket path; the kernel takes 107 bytes, others take less."""
TOO_BUSY = "it is there, but too busy to be talked to"
_NO_SOCKET = "none is running"


class Place(NamedTuple):
    """Where one daemon lives."""

    sockets: tuple[Path, ...]
    """Paths to try, in order; a daemon that is started here listens on the first."""
    state_dir: Path
    chosen: bool = False
    """Whether the caller named socket or state directory."""

    @property
    def log(self) -> Path:
        """What the daemon wrote to its standard output and error when a client started it."""
        return self.state_dir / "daemon.out"

    @property
    def own_log(self) -> Path:
        """The log the daemon keeps itself."""
        return self.state_dir / "daemon.log"


def find_place(
    environ: Mapping[str, str], socket_path: str | None = None, state_dir: str | None = None
) -> Place:
    """Tell where the daemon of this user is, by arguments, then environment, then custom.

    Args:
        environ: the environment to read.
        socket_path: path of the socket, when the caller names one.
        state_dir: the daemon's state directory, when the caller names one.
    """
    named_state = state_dir or environ.get("SUBSESSION_STATE_DIR")
    named_socket = socket_path or environ.get("SUBSESSION_SOCKET")
    home_state = Path(environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    state = Path(named_state or home_state / "subsessiond").absolute()
    if named_socket:
        return Place((Path(named_socket).absolute(),), state, chosen=True)
    if named_state:
        return Place((_short(state / "run" / "daemon.sock"),), state, chosen=True)
    runtime = environ.get("XDG_RUNTIME_DIR")
    folders = [Path(runtime) / "subsessiond"] if runtime else []
    folders += [state / "run", own_temporary_folder()]
    return Place(tuple(_short(folder / "daemon.sock") for folder in folders), state)


def own_temporary_folder() -> Path:
    """Give the folder of this user below the temporary directory; it may not exist."""
    from tempfile import gettempdir  # seldom needed, and it loads much

    return Path(gettempdir()) / f"subsessiond-{os.getuid()}"


def _short(path: Path) -> Path:
    """Give a socket path that fits: its own, or a name made from it in the temporary folder."""
    raw = os.fsencode(path)
    if len(raw) <= PATH_LIMIT_BYTES:
        return path
    from hashlib import sha256  # as above

    return own_temporary_folder() / f"{sha256(raw).hexdigest()[:16]}.sock"


def check_owner(path: Path) -> None:
    """Make sure that a socket is ours: another user's could pose as the daemon.

    Raises:
        Unreachable: there is none, it is no socket, or it or its folder is another's.
    """
    try:
        own, folder = path.lstat(), path.parent.stat()
    except OSError as fault:
        raise Unreachable(_why(fault), str(path)) from fault
    if not stat.S_ISSOCK(own.st_mode):
        raise Unreachable("there is something else in place of the socket", str(path))
    if own.st_uid != os.getuid():
        raise Unreachable("the socket belongs to another user", str(path))
    if folder.st_uid not in (os.getuid(), 0):
        raise Unreachable("its folder belongs to another user", str(path))


def _why(fault: OSError) -> str:
    """Say an operating system's fault in words."""
    if isinstance(fault, FileNotFoundError):
        return _NO_SOCKET
    if isinstance(fault, ConnectionRefusedError):
        return "it has left its socket behind"
    return fault.strerror or str(fault)


def open_socket(path: Path, timeout_s: float) -> socket.socket:
    """Connect to a daemon.

    Raises:
        Unreachable: nobody listens there, or not as us.
    """
    check_owner(path)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        # Why the kernel's own time limit: with Python's, a daemon that is only busy, its queue of
        # callers full for a moment, would be taken for none at once.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _timeval(timeout_s))
        sock.connect(str(path))
        sock.settimeout(timeout_s)
    except BlockingIOError as fault:
        sock.close()
        raise Unreachable(TOO_BUSY, str(path)) from fault
    except OSError as fault:
        sock.close()
        raise Unreachable(_why(fault), str(path)) from fault
    return sock


def open_nowait(path: Path) -> socket.socket | None:
    """Connect to a daemon at once; none while its queue of callers is full.

    Raises:
        Unreachable: nobody listens there, or not as us.
    """
    check_owner(path)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    sock.settimeout(0)
    try:
        sock.connect(str(path))
    except BlockingIOError:
        sock.close()
        return None
    except OSError as fault:
        sock.close()
        raise Unreachable(_why(fault), str(path)) from fault
    return sock


def _timeval(seconds: float) -> bytes:
    whole, rest = divmod(seconds, 1)
    return struct.pack("@ll", int(whole), int(rest * 1_000_000))


def listening(place: Place, timeout_s: float = 5.0) -> Path | None:
    """Give the first socket of a place where somebody listens, busy or not."""
    for path in place.sockets:
        try:
            open_socket(path, timeout_s).close()
        except Unreachable as fault:
            if not isinstance(fault.__cause__, BlockingIOError):
                continue
        return path
    return None


def why_not(place: Place) -> Unreachable:
    """Say why nobody could be reached at a place: the most telling reason of its sockets."""
    reasons = []
    for path in place.sockets:
        try:
            open_socket(path, timeout_s=5.0).close()
        except Unreachable as fault:
            reasons.append(fault)
    telling = [fault for fault in reasons if fault.why != _NO_SOCKET]
    return (telling or reasons or [Unreachable("it came up just now", str(place.sockets[0]))])[0]
