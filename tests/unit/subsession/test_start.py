"""Starting the daemon, and seeing that it has gone."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from subsession import connect, start
from subsession.connect import Place, find_place
from subsession.errors import StartFailed

HOME = {"XDG_STATE_HOME": "/home/u/.local/state"}


def test_a_daemon_inherits_nothing_of_a_node() -> None:
    """Token, node and socket of a node that asked for a daemon do not reach it."""
    env = {"PATH": "/bin", "SUBSESSION_TOKEN": "t", "SUBSESSION_NODE": "n"}
    assert start.daemon_environment(env, find_place(HOME)) == {"PATH": "/bin"}
    chosen = start.daemon_environment(env, find_place(HOME, "/s.sock", "/state"))
    assert chosen["SUBSESSION_SOCKET"] == "/s.sock"
    assert chosen["SUBSESSION_STATE_DIR"] == "/state"
    assert "SUBSESSION_TOKEN" not in chosen


def stand_in(monkeypatch: pytest.MonkeyPatch, folder: Path, program: str) -> Place:
    """Let `python -m subsessiond serve` be a program of the test, and give its place."""
    package = folder / "code" / "subsessiond"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "__main__.py").write_text(program)
    monkeypatch.setenv("PYTHONPATH", str(package.parent))
    return Place((folder / "d.sock",), folder / "state", chosen=True)


LISTENS = """
import os, socket, sys, time
print("ids", os.getppid(), os.getsid(0), os.getpid(), os.getcwd(), sys.argv[1:], flush=True)
listener = socket.socket(socket.AF_UNIX)
listener.bind(os.environ["SUBSESSION_SOCKET"])
listener.listen()
listener.settimeout(20)
while listener.accept()[0].recv(1) != b"q":
    pass
"""


def test_a_started_daemon_is_nobodys_child_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It runs in a session of its own, away from the caller's folder, and leads no session."""
    place = stand_in(monkeypatch, tmp_path, LISTENS)
    path = start.start_daemon(place)
    assert path == place.sockets[0]
    _, parent, session, pid, folder, verb = place.log.read_text().split()
    with connect.open_socket(path, 1.0) as asking:
        asking.send(b"q")
    assert start.wait_gone(path, int(pid), 10)
    assert int(parent) != os.getpid()
    assert int(session) not in (os.getsid(0), int(pid))
    assert (folder, verb) == ("/", "['serve']")


def test_a_daemon_that_does_not_come_up_shows_its_last_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """When it ends at once, that is told soon, with what it wrote this time."""
    place = stand_in(monkeypatch, tmp_path, "raise SystemExit('the disk is made of cheese')")
    place.state_dir.mkdir()
    place.log.write_text("of an earlier life\n")
    began = time.monotonic()
    with pytest.raises(StartFailed) as caught:
        start.start_daemon(place)
    assert time.monotonic() - began < start.START_LIMIT_S / 2
    assert caught.value.lines == ("the disk is made of cheese",)
    assert "it ended at once" in str(caught.value)


def test_last_words_in_a_log_that_was_turned_are_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A daemon that begins a new log before it ends has its last words read there."""
    place = stand_in(monkeypatch, tmp_path, TURNS)
    place.state_dir.mkdir()
    place.own_log.write_text("of an earlier life\n" * 100)
    with pytest.raises(StartFailed) as caught:
        start.start_daemon(place)
    assert caught.value.lines == ("the disk is made of cheese",)


TURNS = """
import os
log = os.environ["SUBSESSION_STATE_DIR"] + "/daemon.log"
os.replace(log, log + ".1")
open(log, "w").write("the disk is made of cheese")
"""


def test_a_daemon_that_hangs_is_not_waited_for_for_ever(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """After the limit the start has failed, and says so."""
    program = "import os, sys\nprint(os.getpid(), flush=True)\nsys.stdin.read(0)\nimport time\n"
    place = stand_in(monkeypatch, tmp_path, program + "time.sleep(20)")
    with pytest.raises(StartFailed, match="did not listen within"):
        start.start_daemon(place, limit_s=0.5)
    pid = int(place.log.read_text())
    os.kill(pid, 9)
    assert start.wait_gone(place.sockets[0], pid, 10)


def test_a_process_that_only_waits_to_be_reaped_has_gone() -> None:
    """A dead child of somebody who does not look is not taken for alive."""
    child = subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.read()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert not start.is_alive(child.pid)
    child.stdout.close()
    child.wait()
    assert start.is_alive(os.getpid())
