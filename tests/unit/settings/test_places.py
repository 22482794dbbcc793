import os
from pathlib import Path

import pytest

from subsession.connect import find_place
from subsessiond.ports import ConfigFault
from subsessiond.settings.places import SOCKET_PATH_BYTES, Places, find_places


def find(environ: dict[str, str], *words: str | None) -> Places:
    """Find places; what is left out is nobody's word."""
    state, socket, config = (*words, None, None, None)[:3]
    return find_places(environ, state, socket, config)


def test_custom_places_are_below_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """With nothing said, everything is where such things are by custom."""
    monkeypatch.setenv("HOME", "/home/x")
    found = find({})
    assert found.state == Path("/home/x/.local/state/subsessiond")
    assert found.config == Path("/home/x/.config/subsessiond")
    assert found.socket == Path("/home/x/.local/state/subsessiond/run/daemon.sock")


def test_the_environment_moves_them(tmp_path: Path) -> None:
    """XDG folders are used, and the runtime folder holds the socket."""
    environ = {
        "XDG_STATE_HOME": "/s",
        "XDG_CONFIG_HOME": "/c",
        "XDG_RUNTIME_DIR": str(tmp_path),
    }
    found = find(environ)
    assert found.state == Path("/s/subsessiond")
    assert found.config == Path("/c/subsessiond")
    assert found.socket.parent.name in ("subsessiond", f"subsessiond-{os.getuid()}")


def test_what_is_named_wins(tmp_path: Path) -> None:
    """Our own variables win over custom, and what the caller names over everything."""
    environ = {
        "SUBSESSION_STATE_DIR": "/es",
        "SUBSESSION_CONFIG_DIR": str(tmp_path),
        "SUBSESSION_SOCKET": "/e/sock",
        "XDG_RUNTIME_DIR": "/run",
    }
    assert find(environ) == Places(Path("/es"), tmp_path, Path("/e/sock"))
    named = find_places(environ, "as", "a.sock", str(tmp_path))
    assert named == Places(Path.cwd() / "as", tmp_path, Path.cwd() / "a.sock")


def test_a_state_folder_that_was_named_holds_its_own_socket() -> None:
    """Two daemons with two state folders do not meet on one socket."""
    environ = {"SUBSESSION_STATE_DIR": "/es", "XDG_RUNTIME_DIR": "/"}
    assert find(environ).socket == Path("/es/run/daemon.sock")


@pytest.mark.parametrize("runtime", ["/no/such/folder", "/etc/hostname", "nobody's"])
def test_a_runtime_folder_that_is_none_is_left_alone(tmp_path: Path, runtime: str) -> None:
    """A session without a login has no runtime folder, or somebody else's: the state's is used."""
    if runtime == "nobody's":
        if os.getuid() != 0:
            pytest.skip("only the administrator can make another user's folder")
        runtime = str(tmp_path)
        os.chown(tmp_path, 65_534, 65_534)
    found = find({"XDG_RUNTIME_DIR": runtime, "XDG_STATE_HOME": "/s"})
    assert found.socket == Path("/s/subsessiond/run/daemon.sock")


def test_a_long_path_is_shortened() -> None:
    """A socket whose path does not fit gets a short one made from it, the same every time."""
    environ = {"SUBSESSION_STATE_DIR": "/" + "x" * 150}
    found = find(environ)
    assert len(os.fsencode(found.socket)) <= SOCKET_PATH_BYTES
    assert found.socket.parent.name == f"subsessiond-{os.getuid()}"
    assert find(environ) == found
    other = find({"SUBSESSION_STATE_DIR": "/" + "y" * 150})
    assert other.socket != found.socket


@pytest.mark.parametrize(
    "environ",
    [
        {"SUBSESSION_STATE_DIR": "/es"},
        {"SUBSESSION_STATE_DIR": "/" + "x" * 150},
        {"SUBSESSION_SOCKET": "/e/sock"},
        {"XDG_STATE_HOME": "/s"},
        {"XDG_STATE_HOME": "/s", "XDG_RUNTIME_DIR": "/no/such/folder"},
    ],
)
def test_clients_look_where_the_daemon_listens(environ: dict[str, str]) -> None:
    """The socket of the daemon is among those a client tries."""
    assert find(environ).socket in find_place(environ).sockets
    assert find(environ).state == find_place(environ).state_dir


def test_a_named_folder_of_configuration_has_to_be_there(tmp_path: Path) -> None:
    """Whoever names a folder means it: a misspelled one is a fault, not the shipped defaults."""
    with pytest.raises(ConfigFault, match="no such folder of configuration files"):
        find_places({}, None, None, str(tmp_path / "missing"))
    with pytest.raises(ConfigFault, match="no such folder"):
        find({"SUBSESSION_CONFIG_DIR": "/no/such"})


def test_without_a_home_somebody_has_to_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no home folder is known, that is said."""

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(ConfigFault, match="no home folder is known"):
        find({})
