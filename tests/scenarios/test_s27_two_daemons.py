"""S27: of several daemons on one state directory exactly one serves; the others touch nothing.

Not yet: a second daemon on another port of the page.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.closing import check_closing, marked
from tests.support.daemon import Daemon
from tests.support.hire import CONFIG, StandIn

EXIT_HELD = 75
NEWCOMERS = 10
WITHIN_S = 25.0
BUSY = ("daemon.log", "registry.sqlite-wal", "registry.sqlite-shm")
"""What the serving daemon itself goes on writing."""


def newcomer(daemon: Daemon, *arguments: str) -> "subprocess.Popen[str]":
    """Start one more daemon that would serve the same state directory."""
    environ = {key: value for key, value in os.environ.items() if "SUBSESSION" not in key}
    serve = (sys.executable, "-m", "subsessiond", "serve")
    return subprocess.Popen(
        [*serve, "--config-dir", str(daemon.config), *arguments],
        env=environ,
        cwd=daemon.folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def picture(daemon: Daemon) -> dict[str, tuple[int, int, int]]:
    """Everything in the state directory: what it is and when it was changed."""
    found = {}
    for path in sorted(daemon.state.rglob("*")):
        status = path.lstat()
        changing = (status.st_size, status.st_mtime_ns) if path.name not in BUSY else (0, 0)
        found[str(path.relative_to(daemon.state))] = (status.st_ino, *changing)
    return found


@pytest.fixture
def first() -> Iterator[Daemon]:
    """A daemon that serves."""
    with Daemon(config=CONFIG) as daemon:
        yield daemon


@pytest.mark.scenario("S27")
def test_newcomers_leave_a_serving_daemon_and_its_children_alone(first: Daemon) -> None:
    """A second daemon, however it names the directory, ends with status 75 and changes nothing."""
    linked = first.folder / "linked"
    linked.symlink_to(first.state)
    ways = (
        ("--state-dir", str(first.state)),
        ("--state-dir", str(first.state), "--socket", str(first.folder / "other.sock")),
        ("--state-dir", str(linked)),
        ("--state-dir", "work/../state"),
    )
    root = first.open()
    with StandIn.hire(first, root) as child, first.client() as watcher:
        watcher.connect()
        child.report("before", stage="progress")
        before, processes = picture(first), marked([child.node_id])
        for way in ways:
            second = newcomer(first, *way)
            said, _ = second.communicate(timeout=WITHIN_S)
            assert second.returncode == EXIT_HELD, said
            assert said.startswith("subsessiond: another daemon (process ")
            assert len(said.splitlines()) == 1
        assert picture(first) == before
        assert not (first.folder / "other.sock").exists()
        assert marked([child.node_id]) == processes
        child.report("after", stage="progress")
        assert watcher.call("daemon.health", {})["ok"] is True
    check_closing(first)


@pytest.mark.scenario("S27")
@pytest.mark.timeout(90)  # eleven programs are loaded at once
def test_of_ten_that_start_at_once_exactly_one_serves() -> None:
    """Ten daemons on a fresh directory come to one that serves and nine that say so."""
    daemon = Daemon(config=CONFIG)
    crowd = [newcomer(daemon, "--state-dir", str(daemon.state)) for _ in range(NEWCOMERS)]
    try:
        until = time.monotonic() + 2 * WITHIN_S
        while sum(one.poll() is None for one in crowd) > 1 or not is_served(daemon):
            assert time.monotonic() < until
            time.sleep(0.02)
        (winner,) = [one for one in crowd if one.poll() is None]
        losers = [one for one in crowd if one is not winner]
        assert [one.returncode for one in losers] == [EXIT_HELD] * (NEWCOMERS - 1)
        assert all("another daemon" in said_by(one) for one in losers)
        assert daemon.call("daemon.info")["pid"] == winner.pid
        root = daemon.open()
        assert list(daemon.rows()) == [root]
        winner.terminate()
        assert winner.wait(WITHIN_S) == 0
        assert said_by(winner) == ""
        daemon.start()
        assert list(daemon.rows()) == [root]
        assert daemon.stop() == 0
    finally:
        for one in crowd:
            one.kill()
            one.wait()
            said_by(one)
        daemon.discard()


def said_by(one: "subprocess.Popen[str]") -> str:
    """Read and close what an ended daemon printed."""
    if one.stdout is None or one.stdout.closed:
        return ""
    with one.stdout as out:
        return out.read()


def is_served(daemon: Daemon) -> bool:
    """Whether somebody answers on the socket."""
    return Path(daemon.socket).exists() and bool(daemon.call("daemon.health"))
