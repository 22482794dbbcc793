"""S07: nothing a child starts can ask on the terminal of the daemon, or wait for it."""

import os
import pty
import select
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.support.closing import check_closing, marked
from tests.support.daemon import Daemon
from tests.support.hire import hire, wait_for

QUICK_S = 8.0
ASK = 'exec 3<>/dev/tty || exit 7; printf "Password: " >&3; read -r answer <&3; echo "got $answer"'
ASK_BEHIND = "(cat </dev/tty; echo read) & wait; (cat; echo end) & wait"
TAKE_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    "os.execv(sys.argv[1], sys.argv[1:])"
)


class Terminal(Daemon):
    """A daemon that was started by hand on a terminal of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.shown = b""
        self._ours, self._theirs = pty.openpty()

    def launch(self) -> "subprocess.Popen[bytes]":
        """Start it as the foreground program of the terminal."""
        environ = {key: value for key, value in os.environ.items() if "SUBSESSION_" not in key}
        places = ("--state-dir", str(self.state), "--config-dir", str(self.config))
        serve = (sys.executable, "-m", "subsessiond", "serve", *places)
        self.process = subprocess.Popen(
            [sys.executable, "-c", TAKE_TERMINAL, *serve],
            env=environ,
            stdin=self._theirs,
            stdout=self._theirs,
            stderr=self._theirs,
            start_new_session=True,
        )
        return self.process

    def read(self) -> bytes:
        """Give all that has appeared on the terminal."""
        while select.select([self._ours], [], [], 0)[0]:
            self.shown += os.read(self._ours, 4096)
        return self.shown

    def close(self) -> None:
        """Give the terminal back."""
        os.close(self._ours)
        os.close(self._theirs)


@contextmanager
def on_terminal() -> Iterator[Terminal]:
    """A daemon on a terminal, which shows nothing at the end."""
    daemon = Terminal()
    try:
        with daemon:
            pid = daemon.process.pid if daemon.process else 0
            stat = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
            assert int(stat[4]) != 0, "the daemon has no controlling terminal"
            yield daemon
            check_closing(daemon)
        assert daemon.read() == b""
    finally:
        daemon.close()


def states(node: str) -> set[str]:
    """Give the kernel's letters for the states of a node's processes."""
    found = set()
    for pid in marked([node]):
        try:
            stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
        except OSError:
            continue
        found.add(stat.rpartition(")")[2].split()[0])
    return found


@pytest.mark.scenario("S07")
def test_a_program_that_asks_on_the_terminal_fails_at_once() -> None:
    """Opening the terminal fails for a child, and its own words about it reach the parent."""
    with on_terminal() as daemon:
        root = daemon.open()
        node = hire(daemon, root, "sh", "-c", ASK)
        row = wait_for(daemon, node, "released", within_s=QUICK_S)
        assert (row["outcome"], row["reason"]) == ("failed", "exit-status")
        (message,) = daemon.call("subsession.inbox", nodeId=root)["messages"]
        assert "status" in message["text"]
        assert "/dev/tty" in message["text"]


@pytest.mark.scenario("S07")
def test_a_background_job_that_reads_the_terminal_is_not_stopped() -> None:
    """A job in the background that wants the terminal fails or reads its end; nothing stops."""
    with on_terminal() as daemon:
        node = hire(daemon, daemon.open(), "sh", "-c", ASK_BEHIND)
        row = wait_for(daemon, node, "released", within_s=QUICK_S)
        assert row["outcome"] == "completed"
        assert not states(node) & {"T", "t"}


@pytest.mark.scenario("S07")
@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git on this machine")
def test_git_that_wants_a_password_fails_in_its_own_words() -> None:
    """A fetch from a server that demands a login ends quickly with what git says."""
    with demanding_server() as port, on_terminal() as daemon:
        root = daemon.open()
        url = f"http://127.0.0.1:{port}/private.git"
        node = hire(daemon, root, "git", "ls-remote", url)
        row = wait_for(daemon, node, "released", within_s=QUICK_S)
        assert row["outcome"] == "failed"
        (message,) = daemon.call("subsession.inbox", nodeId=root)["messages"]
        assert "could not read Username" in message["text"]


class Demanding(BaseHTTPRequestHandler):
    """Demands a login, whatever is asked."""

    def do_GET(self) -> None:
        """Answer that."""
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="private"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def demanding_server() -> Iterator[int]:
    """A web server that lets nobody in; gives its port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Demanding)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
