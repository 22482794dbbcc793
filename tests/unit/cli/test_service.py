import argparse
import plistlib
import sys
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest

from subsessiond.cli import main
from subsessiond.cli.service import daemon_command, unit_of
from subsessiond.settings import default_text


def options(**given: Any) -> argparse.Namespace:
    """Give the options of the verb; what is left out was not said."""
    names = ("state_dir", "socket", "config_dir", "kind", "folder")
    return argparse.Namespace(**{**dict.fromkeys(names), **given})


def install(folder: Path, *words: str) -> int:
    """Type the verb for a folder of units."""
    return main(["install-service", "--kind", "systemd", "--folder", str(folder), *words])


def test_the_unit_starts_this_very_installation() -> None:
    """The unit of systemd names the program by its path, with the places that were named."""
    unit = unit_of(options(state_dir="/s", folder="/units"), {}, "linux")
    assert unit.path == Path("/units/subsessiond.service")
    reader = ConfigParser(interpolation=None, strict=False)
    reader.optionxform = str  # type: ignore[assignment,method-assign]
    reader.read_string(unit.text)
    words = reader["Service"]["ExecStart"].split()
    assert Path(words[0].strip('"')).is_absolute()
    assert words[-4:] == ['"serve"', '"--state-dir"', '"/s"', '"--foreground"']
    assert reader["Service"]["Delegate"] == "yes"
    assert reader["Service"]["RestartPreventExitStatus"] == "75 78"
    assert unit.then[0] == "systemctl --user daemon-reload"


def test_odd_paths_are_quoted() -> None:
    """What systemd would read as its own signs is spelled so that it stays a path."""
    unit = unit_of(options(state_dir='/a b%h"$x\\'), {}, "linux")
    assert r'"/a b%%h\"$$x\\"' in unit.text


def test_the_unit_of_launchd_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """On macOS a property list starts the same command, whatever signs its paths hold."""
    monkeypatch.setenv("HOME", "/Users/x")
    unit = unit_of(options(state_dir="/s & <t>"), {}, "darwin")
    assert unit.path == Path("/Users/x/Library/LaunchAgents/subsessiond.plist")
    found = plistlib.loads(unit.text.encode())
    assert found["ProgramArguments"][-3:] == ["serve", "--state-dir", "/s & <t>"]
    assert found["KeepAlive"] == {"SuccessfulExit": False}
    assert unit.then == (f"launchctl load -w {unit.path}",)


def test_units_of_users_are_where_they_belong(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a folder of one's own it is the user's, by custom or by the environment."""
    monkeypatch.setenv("HOME", "/home/x")
    unit = unit_of(options(), {}, "linux")
    assert unit.path == Path("/home/x/.config/systemd/user/subsessiond.service")
    moved = unit_of(options(), {"XDG_CONFIG_HOME": "/c"}, "linux")
    assert moved.path == Path("/c/systemd/user/subsessiond.service")
    forced = unit_of(options(kind="launchd"), {}, "linux")
    assert forced.path.name == "subsessiond.plist"


def test_the_command_is_found_however_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside the interpreter stands the program; where it does not, the module is run."""
    python = tmp_path / "python"
    monkeypatch.setattr(sys, "executable", str(python))
    assert daemon_command(options()) == (str(python), "-m", "subsessiond", "serve")
    (tmp_path / "subsessiond").touch()
    given = daemon_command(options(socket="s", config_dir="/c"))
    program = str(tmp_path / "subsessiond")
    socket = str(Path.cwd() / "s")
    assert given == (program, "serve", "--socket", socket, "--config-dir", "/c")


@pytest.mark.parametrize("name", ["subsessiond.service", "subsessiond.plist"])
def test_the_shipped_unit_has_one_command_to_replace(name: str) -> None:
    """What is replaced stands in the shipped text exactly once."""
    from subsessiond.cli import service

    text = default_text(name)
    commands = (service._SYSTEMD_COMMAND, service._LAUNCHD_COMMAND)  # noqa: SLF001
    assert sorted(text.count(command) for command in commands) == [0, 1]


def test_it_shows_what_it_writes_and_writes_it_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first time the unit is shown and written; the second time there is nothing to do."""
    folder = tmp_path / "a" / "units"
    assert install(folder) == 0
    path = folder / "subsessiond.service"
    said = capsys.readouterr().out
    assert path.read_text() in said
    assert f"{path} was written; now run:\n  systemctl --user daemon-reload\n" in said
    before = path.stat()
    assert install(folder) == 0
    assert capsys.readouterr().out == f"{path} is current; nothing was written\n"
    assert path.stat() == before
    assert [p.name for p in folder.iterdir()] == [path.name]


def test_a_unit_somebody_changed_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A unit that says something else is shown with the difference, and kept until it is asked."""
    path = tmp_path / "subsessiond.service"
    path.write_text("mine\n")
    assert install(tmp_path) == 1
    out, err = capsys.readouterr()
    assert "-mine" in out
    assert "+[Service]" in out
    assert "--replace writes it anew" in err
    assert path.read_text() == "mine\n"
    assert install(tmp_path, "--replace") == 0
    assert "[Service]" in path.read_text()


def test_printing_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With --print the unit goes to standard output, alone."""
    assert install(tmp_path, "--print") == 0
    assert capsys.readouterr().out.startswith("# For systemd's user manager.")
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_written_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder that cannot be made is said, with the status of a fault."""
    (tmp_path / "file").touch()
    assert install(tmp_path / "file" / "units") == 70
    assert capsys.readouterr().err.startswith("subsessiond: ")
