"""Where the daemon is, and starting it."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from subsession import connect
from subsession.connect import Place, check_owner, daemon_environment, find_place, listening
from subsession.errors import StartFailed, Unreachable

HOME = {"XDG_STATE_HOME": "/home/u/.local/state"}


def own(name: str) -> Path:
    """Give a path in this user's folder below the temporary one."""
    return connect.own_temporary_folder() / name


def test_custom_says_where_the_daemon_is() -> None:
    """Without a word from the caller: runtime folder, state folder, own temporary folder."""
    place = find_place({**HOME, "XDG_RUNTIME_DIR": "/run/user/7"})
    assert place.sockets == (
        Path("/run/user/7/subsessiond/daemon.sock"),
        Path("/home/u/.local/state/subsessiond/run/daemon.sock"),
        own("daemon.sock"),
    )
    assert place.state_dir == Path("/home/u/.local/state/subsessiond")
    assert find_place(HOME).sockets == place.sockets[1:]


def test_what_the_caller_names_comes_first() -> None:
    """An argument goes before the environment, and both before custom."""
    env = {**HOME, "SUBSESSION_SOCKET": "/s/env.sock", "SUBSESSION_STATE_DIR": "/state/env"}
    assert find_place(env).sockets == (Path("/s/env.sock"),)
    assert find_place(env).state_dir == Path("/state/env")
    assert find_place(env, "/s/arg.sock", "/state/arg").sockets == (Path("/s/arg.sock"),)
    assert find_place(env, None, "/state/arg").sockets == (Path("/s/env.sock"),)


def test_a_state_directory_of_its_own_has_a_socket_of_its_own() -> None:
    """A second daemon with another state directory is not mixed up with the first."""
    env = {**HOME, "XDG_RUNTIME_DIR": "/run/user/7", "SUBSESSION_STATE_DIR": "/other"}
    assert find_place(env).sockets == (Path("/other/run/daemon.sock"),)


def test_a_path_too_long_for_a_socket_gets_a_short_name() -> None:
    """Paths over 100 bytes are replaced by one made from them, the same every time."""
    deep = "/" + "d" * 120
    first, second = find_place(HOME, None, deep), find_place(HOME, None, deep + "x")
    assert first.sockets == find_place(HOME, None, deep).sockets
    assert first.sockets != second.sockets
    assert first.sockets[0].parent == connect.own_temporary_folder()
    assert len(os.fsencode(first.sockets[0])) <= connect.PATH_LIMIT_BYTES


def test_only_a_socket_of_ours_is_talked_to(tmp_path: Path) -> None:
    """Nothing, a plain file, a link and a forsaken socket are each told apart."""
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere.sock")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "left.sock"))
    for name, why in [
        ("none", "none is running"),
        ("file", "something else"),
        ("link", "something else"),
    ]:
        with pytest.raises(Unreachable, match=why):
            check_owner(tmp_path / name)
    with pytest.raises(Unreachable, match="left its socket behind"):
        connect.open_socket(tmp_path / "left.sock", 1.0)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make a socket of another user")
def test_a_socket_of_another_user_is_refused(tmp_path: Path) -> None:
    """Another user's socket could pose as the daemon."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "d.sock"))
        listener.listen()
        os.chown(tmp_path / "d.sock", 12_345, 12_345)
        place = Place((tmp_path / "d.sock",), tmp_path)
        assert listening(place) is None
        assert "belongs to another user" in str(connect.why_not(place))


def test_a_daemon_inherits_nothing_of_a_node() -> None:
    """Token, node and socket of a node that asked for a daemon do not reach it."""
    env = {"PATH": "/bin", "SUBSESSION_TOKEN": "t", "SUBSESSION_NODE": "n"}
    assert daemon_environment(env, find_place(HOME)) == {"PATH": "/bin"}
    chosen = daemon_environment(env, find_place(HOME, "/s.sock", "/state"))
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
    path = connect.start_daemon(place)
    assert path == place.sockets[0]
    _, parent, session, pid, folder, verb = place.log.read_text().split()
    with connect.open_socket(path, 1.0) as asking:
        asking.send(b"q")
    assert connect.wait_gone(path, int(pid), 10)
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
        connect.start_daemon(place)
    assert time.monotonic() - began < connect.START_LIMIT_S / 2
    assert caught.value.lines == ("the disk is made of cheese",)
    assert "it ended at once" in str(caught.value)


def test_a_daemon_that_hangs_is_not_waited_for_for_ever(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """After the limit the start has failed, and says so."""
    program = "import os, sys\nprint(os.getpid(), flush=True)\nsys.stdin.read(0)\nimport time\n"
    place = stand_in(monkeypatch, tmp_path, program + "time.sleep(20)")
    with pytest.raises(StartFailed, match="did not listen within"):
        connect.start_daemon(place, limit_s=0.5)
    pid = int(place.log.read_text())
    os.kill(pid, 9)
    assert connect.wait_gone(place.sockets[0], pid, 10)


def test_a_process_that_only_waits_to_be_reaped_has_gone() -> None:
    """A dead child of somebody who does not look is not taken for alive."""
    child = subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.read()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert not connect.is_alive(child.pid)
    child.stdout.close()
    child.wait()
    assert connect.is_alive(os.getpid())
