"""Where the daemon is, and starting it."""

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from subsession import connect
from subsession.connect import Place, check_owner, find_place, listening, open_socket
from subsession.errors import Unreachable

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


@pytest.fixture
def busy() -> Iterator[tuple[Path, socket.socket]]:
    """Give a listener whose queue of callers is full."""
    path = connect.own_temporary_folder() / f"busy-{os.getpid()}"
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(0)
        callers = [socket.socket(socket.AF_UNIX)]
        callers[0].connect(str(path))
        yield path, listener
        for caller in callers:
            caller.close()
    path.unlink()


def test_a_busy_daemon_is_waited_for(busy: tuple[Path, socket.socket]) -> None:
    """S28: a full queue of callers is no dead daemon; whoever waits gets in."""
    path, listener = busy

    def serve() -> None:
        for _ in range(2):
            listener.accept()[0].close()

    serving = threading.Timer(0.1, serve)
    serving.start()
    open_socket(path, timeout_s=10.0).close()
    serving.join()


def test_who_does_not_wait_is_told_that_there_is_no_room(
    busy: tuple[Path, socket.socket],
) -> None:
    """A full queue gives nothing; as soon as there is room the connection is there."""
    path, listener = busy
    assert connect.open_nowait(path) is None
    listener.accept()[0].close()
    sock = connect.open_nowait(path)
    assert sock is not None
    sock.close()
    listener.close()
    with pytest.raises(Unreachable, match="left its socket behind"):
        connect.open_nowait(path)


def test_a_daemon_that_stays_busy_is_there_all_the_same(busy: tuple[Path, socket.socket]) -> None:
    """S28: it is said to be busy, and nobody starts another in its place."""
    path, _ = busy
    with pytest.raises(Unreachable, match="too busy"):
        open_socket(path, timeout_s=0.05)
    assert listening(Place((path,), path.parent), timeout_s=0.05) == path
