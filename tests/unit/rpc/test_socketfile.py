import os
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from subsessiond.rpc.socketfile import SocketFault, SocketFile, listen, short_path

pytestmark = pytest.mark.scenario("S28")


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    """Give a path for a socket that is short enough for every system."""
    with tempfile.TemporaryDirectory(prefix="sock-") as folder:
        yield Path(folder) / "run" / "daemon.sock"


def end(made: SocketFile) -> None:
    """Stop listening and take the file away."""
    made.sock.close()
    made.remove()


def leave_over(path: Path) -> None:
    """Leave a socket without a listener, as a killed daemon does."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(path))


def test_the_socket_is_its_owners_alone(path: Path) -> None:
    """Neither the file nor a folder made for it is open to anybody else; the mask is restored."""
    before = os.umask(0o022)
    os.umask(before)
    made = listen(path, holds_lock=False)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert os.umask(before) == before
    end(made)


def test_no_instant_shows_an_open_socket(path: Path) -> None:
    """Somebody who looks all the time never sees a mode beyond the owner's."""
    path.parent.mkdir()
    seen, stop = set[int](), threading.Event()

    def look() -> None:
        while not stop.is_set():
            try:
                seen.add(stat.S_IMODE(os.lstat(path).st_mode))
            except FileNotFoundError:
                continue

    watcher = threading.Thread(target=look)
    watcher.start()
    for _ in range(200):
        end(listen(path, holds_lock=True))
    stop.set()
    watcher.join()
    assert seen <= {0o600}


def test_a_leftover_is_removed_by_the_holder_of_the_lock(path: Path) -> None:
    """A socket that nobody listens on makes way."""
    leave_over(path)
    made = listen(path, holds_lock=True)
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
    end(made)


def test_a_leftover_stays_for_everybody_else(path: Path) -> None:
    """Without the lock nothing is removed, and the message says what was found."""
    leave_over(path)
    inode = path.stat().st_ino
    with pytest.raises(SocketFault, match="no listener"):
        listen(path, holds_lock=False)
    assert path.stat().st_ino == inode


@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_what_is_no_socket_is_never_removed(path: Path, kind: str) -> None:
    """A file, a folder or a link at the path is left as it is."""
    path.parent.mkdir(parents=True)
    target = path.parent / "target"
    if kind == "file":
        path.write_text("precious")
    elif kind == "folder":
        path.mkdir()
    else:
        leave_over(target)
        path.symlink_to(target)
    with pytest.raises(SocketFault, match="no socket"):
        listen(path, holds_lock=True)
    assert os.path.lexists(path)
    assert kind != "link" or target.exists()


def test_a_live_daemon_is_not_replaced(path: Path) -> None:
    """A listener that answers keeps its socket, even against the holder of the lock."""
    made = listen(path, holds_lock=True)
    with pytest.raises(SocketFault, match="has a listener"):
        listen(path, holds_lock=True)
    assert path.stat().st_ino == made.inode
    end(made)


def test_a_listener_whose_queue_is_full_is_alive(path: Path) -> None:
    """A queue that takes no more callers is no sign of death."""
    path.parent.mkdir()
    with socket.socket(socket.AF_UNIX) as busy:
        busy.bind(str(path))
        busy.listen(0)
        waiting = []
        for _ in range(8):
            client = socket.socket(socket.AF_UNIX)
            client.setblocking(False)
            waiting.append(client)
            try:
                client.connect(str(path))
            except BlockingIOError:
                break
        with pytest.raises(SocketFault, match="listener"):
            listen(path, holds_lock=True)
        for client in waiting:
            client.close()
    assert path.exists()


LISTENER = """
import socket, sys
sock = socket.socket(socket.AF_UNIX)
sock.bind(sys.argv[1])
sock.listen(1)
print("ready", flush=True)
sys.stdin.read()
"""


def test_a_stopped_daemon_is_alive(path: Path) -> None:
    """A daemon that the system has stopped for a while keeps its socket."""
    path.parent.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", LISTENER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as daemon:
        assert daemon.stdout is not None
        daemon.stdout.readline()
        daemon.send_signal(signal.SIGSTOP)
        try:
            with pytest.raises(SocketFault, match="has a listener"):
                listen(path, holds_lock=True)
        finally:
            daemon.send_signal(signal.SIGCONT)
            daemon.kill()
    assert path.exists()


def test_a_socket_that_may_not_be_used_is_left(path: Path) -> None:
    """A socket that cannot be connected to is somebody's."""
    made = listen(path, holds_lock=True)
    path.parent.parent.chmod(0o711)
    path.parent.chmod(0o711)
    path.chmod(0)
    # Why another user: no permission keeps the superuser out.
    user = os.geteuid()
    os.seteuid(65_534 if user == 0 else user)
    try:
        with pytest.raises(SocketFault, match="cannot be connected to"):
            listen(path, holds_lock=True)
    finally:
        os.seteuid(user)
    assert path.exists()
    end(made)


def test_on_exit_only_the_own_socket_is_removed(path: Path) -> None:
    """What somebody else has put at the path meanwhile stays there."""
    made = listen(path, holds_lock=True)
    path.unlink()
    path.write_text("another's")
    assert not made.remove()
    assert path.read_text() == "another's"
    path.unlink()
    assert not made.remove()
    made.sock.close()


def test_a_long_path_is_served(path: Path) -> None:
    """A path that fits into no address is bound and connected to all the same."""
    deep = path.parent / ("a" * 60) / ("b" * 60) / "daemon.sock"
    before = set(Path(tempfile.gettempdir()).glob("subsessiond-*"))
    made = listen(deep, holds_lock=True)
    assert stat.S_ISSOCK(deep.stat().st_mode)
    with socket.socket(socket.AF_UNIX) as client, short_path(deep) as address:
        assert len(os.fsencode(address)) <= 100
        client.connect(address)
    with pytest.raises(SocketFault, match="has a listener"):
        listen(deep, holds_lock=True)
    end(made)
    assert set(Path(tempfile.gettempdir()).glob("subsessiond-*")) == before


def test_a_failed_start_leaves_nothing(path: Path) -> None:
    """A name too long for any folder is an error and no open socket."""
    with pytest.raises(OSError, match="too long"):
        listen(path.parent / ("x" * 300), holds_lock=True)
