"""S28: only a socket that surely has no listener is removed, and only by who may.

A socket that may not be connected to is met in `unit/rpc/test_socketfile.py`. Not yet: the page's
own port.
"""

import os
import signal
import socket
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from subsession.client import Client
from subsession.errors import Unreachable
from tests.support.closing import check_closing, marked
from tests.support.daemon import Daemon
from tests.support.hire import StandIn

EXIT_FAULT = 70
WITHIN_S = 25.0


@contextmanager
def two() -> Iterator[tuple[Daemon, Daemon]]:
    """A serving daemon with a child, and one of another state directory on the same socket."""
    with Daemon() as first:
        second = Daemon(arguments=("--socket", str(first.socket)))
        try:
            yield first, second
        finally:
            second.discard()


def refused(second: Daemon, found: str) -> None:
    """Start the newcomer and see that it says what it found and ends."""
    assert second.launch().wait(WITHIN_S) == EXIT_FAULT, second.said()
    assert found in second.log.read_text("utf-8")
    assert "nothing was removed" in second.log.read_text("utf-8")
    assert "Traceback" not in second.said()


def inode(path: Path) -> int:
    """Tell one file from another of the same name."""
    return path.lstat().st_ino


@pytest.mark.scenario("S28")
def test_a_leftover_without_a_listener_is_replaced() -> None:
    """The socket of a killed daemon is taken over by the next holder of the lock."""
    with Daemon() as daemon:
        old = inode(daemon.socket)
        daemon.kill()
        assert daemon.socket.exists()
        with pytest.raises(Unreachable, match="left its socket behind"):
            daemon.client().connect()
        assert inode(daemon.socket) == old
        daemon.start()
        check_closing(daemon)


@pytest.mark.scenario("S28")
@pytest.mark.parametrize("kind", ["file", "directory", "link"])
def test_what_is_no_socket_is_left_alone(kind: str) -> None:
    """A file, directory or link in place of the socket stays, and the start says what it is."""
    daemon = Daemon()
    daemon.socket.parent.mkdir(parents=True)
    precious = daemon.folder / "precious"
    precious.write_text("kept", "utf-8")
    make: dict[str, Callable[[], object]] = {
        "file": lambda: daemon.socket.write_text("kept", "utf-8"),
        "directory": daemon.socket.mkdir,
        "link": lambda: daemon.socket.symlink_to(precious),
    }
    make[kind]()
    before = inode(daemon.socket)
    try:
        with pytest.raises(Unreachable, match="something else in place of the socket"):
            daemon.client().connect()
        refused(daemon, f"{daemon.socket} is there and is no socket")
        assert inode(daemon.socket) == before
        assert precious.read_text("utf-8") == "kept"
    finally:
        daemon.discard()


@pytest.mark.scenario("S28")
def test_a_stopped_daemon_is_not_taken_for_a_dead_one() -> None:
    """A daemon that is stopped for a while keeps its socket, its children and its place."""
    with two() as (first, second), StandIn.hire(first, first.open()) as child:
        assert first.process is not None
        before, processes = inode(first.socket), marked([child.node_id])
        first.process.send_signal(signal.SIGSTOP)
        try:
            refused(second, f"{first.socket} has a listener")
            rival = Daemon(arguments=("--state-dir", str(first.state)))
            assert rival.launch().wait(WITHIN_S) != 0
            assert "another daemon" in rival.said()
            rival.discard()
            assert inode(first.socket) == before
        finally:
            first.process.send_signal(signal.SIGCONT)
        assert marked([child.node_id]) == processes
        child.report("still here", stage="progress")
        child.close()
        check_closing(first)


@pytest.mark.scenario("S28")
def test_a_full_queue_of_callers_is_not_taken_for_death() -> None:
    """A daemon that is too busy to take callers keeps its socket, and serves them afterwards."""
    with two() as (first, second):
        assert first.process is not None
        before = inode(first.socket)
        first.process.send_signal(signal.SIGSTOP)
        callers: list[socket.socket] = []
        try:
            while True:
                caller = socket.socket(socket.AF_UNIX)
                callers.append(caller)
                caller.setblocking(False)
                caller.connect(str(first.socket))
        except BlockingIOError:
            refused(second, f"{first.socket} has a listener")
        finally:
            first.process.send_signal(signal.SIGCONT)
            for caller in callers:
                caller.close()
        assert inode(first.socket) == before
        assert first.call("daemon.health")["ok"] is True
        check_closing(first)


@pytest.mark.scenario("S28")
def test_a_replaced_socket_is_not_removed_at_the_end() -> None:
    """A daemon whose socket path holds another file by then removes nothing when it stops."""
    with Daemon() as daemon:
        with daemon.client() as client:
            client.connect()
            daemon.socket.unlink()
            daemon.socket.write_text("somebody else's", "utf-8")
            assert client.call("daemon.health", {})["ok"] is True
        assert daemon.stop() == 0
        assert daemon.socket.read_text("utf-8") == "somebody else's"
        daemon.socket.unlink()
        daemon.start()
        check_closing(daemon)


@pytest.mark.scenario("S28")
def test_a_replaced_listener_is_not_removed_at_the_end() -> None:
    """A daemon whose path another listener has taken over leaves that one alone."""
    with Daemon() as daemon:
        daemon.socket.unlink()
        with closing(socket.socket(socket.AF_UNIX)) as other:
            other.bind(str(daemon.socket))
            other.listen()
            before = inode(daemon.socket)
            assert daemon.stop() == 0
            assert inode(daemon.socket) == before
        daemon.start()  # the other is gone by now, and has left its socket behind
        check_closing(daemon)


@pytest.mark.scenario("S28")
def test_the_socket_is_the_owners_alone() -> None:
    """Socket and folder are closed to everybody else, whatever the mask of who started it."""
    mask = os.umask(0)
    try:
        with Daemon() as daemon:
            assert stat.S_IMODE(daemon.socket.lstat().st_mode) == 0o600
            assert stat.S_IMODE(daemon.socket.parent.lstat().st_mode) == 0o700
            assert stat.S_IMODE(daemon.state.lstat().st_mode) == 0o700
            files = [p for p in daemon.state.rglob("*") if p.is_file()]
            open_ones = [p.name for p in files if stat.S_IMODE(p.stat().st_mode) & 0o077]
            assert open_ones == []
            check_closing(daemon)
    finally:
        os.umask(mask)


@pytest.mark.scenario("S28")
def test_a_client_deletes_nothing() -> None:
    """A client that finds a leftover or a stopped daemon says so and leaves the socket."""
    with Daemon() as daemon:
        daemon.kill()
        before = inode(daemon.socket)
        with pytest.raises(Unreachable):
            Client(daemon.socket, token="").call("daemon.info", {})
        assert inode(daemon.socket) == before
