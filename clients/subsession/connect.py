"""Where the daemon's socket is, how to talk to it, and how to start it when none runs.

Owns the search order of sockets, the check of their owner, and starting. It knows no method of the
contract.
"""

import http.client
import os
import re
import select
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import gettempdir

from subsession.errors import StartFailed, Unreachable

START_LIMIT_S = 15.0
"""How long a start may take: twenty times what it takes, for a machine that is busy."""
PATH_LIMIT_BYTES = 100
"""Longest socket path; the kernel takes 107 bytes, others take less."""
_NO_SOCKET = "none is running"
_POLL_S = 0.02
_TAIL_BYTES = 8_192
_TAIL_LINES = 12

# Why a process between: forking twice is safe only in a process with one thread. The daemon ends up
# in a session of its own and is nobody's child here.
_DETACH = """\
import os, sys
pid = os.fork()
if pid:
    print(pid, flush=True)
    os._exit(0)
log = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
os.dup2(log, 1)
os.dup2(log, 2)
os.chdir("/")
os.execv(sys.argv[2], sys.argv[2:])
"""


@dataclass(frozen=True)
class Place:
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
    return Path(gettempdir()) / f"subsessiond-{os.getuid()}"


def _short(path: Path) -> Path:
    """Give a socket path that fits: its own, or a name made from it in the temporary folder."""
    raw = os.fsencode(path)
    if len(raw) <= PATH_LIMIT_BYTES:
        return path
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
        sock.settimeout(timeout_s)
        sock.connect(str(path))
    except OSError as fault:
        sock.close()
        raise Unreachable(_why(fault), str(path)) from fault
    return sock


class SocketConnection(http.client.HTTPConnection):
    """HTTP over a unix socket."""

    def __init__(self, path: Path, timeout_s: float) -> None:
        super().__init__("localhost", timeout=timeout_s)
        self._path = path
        self._timeout_s = timeout_s

    def connect(self) -> None:
        """Open the socket."""
        self.sock = open_socket(self._path, self._timeout_s)


def listening(place: Place) -> Path | None:
    """Give the first socket of a place where somebody listens."""
    for path in place.sockets:
        try:
            open_socket(path, timeout_s=5.0).close()
        except Unreachable:
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


def start_daemon(place: Place, limit_s: float = START_LIMIT_S) -> Path:
    """Start a daemon that outlives the caller, and wait until it listens.

    Returns:
        The socket it listens on.

    Raises:
        StartFailed: it ended, or did not listen in time; holds the last lines of its log.
    """
    place.state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    began = {path: _size(path) for path in (place.log, place.own_log)}
    pid = _launch(place)
    ended_at, deadline = None, time.monotonic() + limit_s
    while (now := time.monotonic()) < deadline:
        if path := listening(place):
            return path
        if ended_at is None and not is_alive(pid):
            ended_at = now
        # Why a second more: another client may have started one at the same moment, and won.
        if ended_at is not None and now > ended_at + 1.0:
            break
        time.sleep(_POLL_S)
    why = f"it did not listen within {limit_s:g} s" if ended_at is None else "it ended at once"
    told = next((path for path, size in began.items() if _size(path) > size), place.log)
    raise StartFailed(why, str(told), _tail(told, began[told]))


def _size(path: Path) -> int:
    """Give the bytes of a file; none for one that is not there."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _launch(place: Place) -> int:
    """Start `python -m subsessiond serve` as nobody's child and give its process id."""
    command = [sys.executable, "-m", "subsessiond", "serve"]
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _DETACH, str(place.log), *command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=daemon_environment(os.environ, place),
        start_new_session=True,
        check=False,
    )
    if done.returncode or not done.stdout.strip().isdigit():
        raise StartFailed("no process could be made for it", str(place.log), _lines(done.stderr))
    return int(done.stdout)


def daemon_environment(environ: Mapping[str, str], place: Place) -> dict[str, str]:
    """Give the environment of a daemon: nothing of a node that may have asked for it.

    Args:
        environ: the caller's environment.
        place: where the daemon shall live; passed on only as far as the caller chose it.
    """
    env = {key: value for key, value in environ.items() if not key.startswith("SUBSESSION_")}
    if place.chosen:
        env["SUBSESSION_SOCKET"] = str(place.sockets[0])
        env["SUBSESSION_STATE_DIR"] = str(place.state_dir)
    if "SUBSESSION_CONFIG_DIR" in environ:
        env["SUBSESSION_CONFIG_DIR"] = environ["SUBSESSION_CONFIG_DIR"]
    return env


def is_alive(pid: int) -> bool:
    """Tell whether a process of this user runs; one that only waits to be reaped does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        status = Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
    except OSError:
        return sys.platform != "linux"
    return re.search(r"\) [ZX] ", status) is None


def wait_gone(path: Path, pid: int, limit_s: float) -> bool:
    """Wait until a daemon has gone: its process ended and nobody listens on its socket."""
    deadline = time.monotonic() + limit_s
    _wait_process(pid, limit_s)
    while time.monotonic() < deadline:
        if not is_alive(pid) and listening(Place((path,), path.parent)) is None:
            return True
        time.sleep(_POLL_S)
    return False


def _wait_process(pid: int, limit_s: float) -> None:
    """Wait for the end of a process where the kernel can tell it."""
    if not hasattr(os, "pidfd_open"):
        return
    try:
        handle = os.pidfd_open(pid)
    except OSError:
        return
    try:
        select.select([handle], [], [], limit_s)
    finally:
        os.close(handle)


def _tail(path: Path, began: int) -> tuple[str, ...]:
    """Give the last lines that were written to a log after `began` bytes."""
    try:
        with path.open("rb") as log:
            end = log.seek(0, os.SEEK_END)
            log.seek(max(min(began, end), end - _TAIL_BYTES))
            return _lines(log.read())
    except OSError:
        return ()


def _lines(raw: bytes) -> tuple[str, ...]:
    """Give the last lines of some output."""
    return tuple(raw.decode("utf-8", "replace").splitlines()[-_TAIL_LINES:])
