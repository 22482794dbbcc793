"""Starting the daemon so that it outlives whoever asked for it, and seeing that it has gone."""

import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from subsession.connect import Place, listening
from subsession.errors import StartFailed

START_LIMIT_S = 15.0
"""How long a start may take: twenty times what it takes, for a machine that is busy."""
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
    told = next((path for path, size in began.items() if _size(path) != size), place.log)
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
    """Give the last lines that were written to a log after `began` bytes.

    One that is smaller than it was is another file: the daemon turns a full log.
    """
    try:
        with path.open("rb") as log:
            end = log.seek(0, os.SEEK_END)
            log.seek(max(began if began <= end else 0, end - _TAIL_BYTES))
            return _lines(log.read())
    except OSError:
        return ()


def _lines(raw: bytes) -> tuple[str, ...]:
    """Give the last lines of some output."""
    return tuple(raw.decode("utf-8", "replace").splitlines()[-_TAIL_LINES:])
