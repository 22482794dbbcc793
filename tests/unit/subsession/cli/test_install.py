"""Our lines in the settings of an agent, as a person meets it."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from subsession.cli import exits, main
from subsession.cli.install import AGENTS
from tests.support.terminal import Terminal

PROGRAM = (sys.executable, "-m", "subsession")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a home of its own, a project in it where the test stands, and nobody to ask."""
    home = tmp_path / "home"
    (home / "shop" / ".git").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("SUBSESSION_STATE_DIR", str(tmp_path / "state"))
    for name in ("SUBSESSION_NODE", "SUBSESSION_TOKEN", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name in ("XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "SUBSESSION_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(home / "bin"))
    monkeypatch.chdir(home / "shop")
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    return home


def servers(home: Path) -> Any:
    """Give what Claude Code's settings mean."""
    return json.loads((home / ".claude.json").read_text())["mcpServers"]


def files(home: Path) -> list[str]:
    """List all files of the home."""
    return sorted(str(one.relative_to(home)) for one in home.rglob("*") if one.is_file())


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("scope", ["--user", "--project"])
def test_it_comes_and_goes(
    home: Path, capsys: pytest.CaptureFixture[str], agent: str, scope: str
) -> None:
    """Installed, again with nothing to do, taken out: then no file is left, and nothing to do."""
    assert main(["install", agent, scope, "--yes"]) == exits.OK
    said = capsys.readouterr()
    assert "+++ " in said.out
    assert "\x1b" not in said.out
    assert files(home)
    assert all(one.startswith("shop/") == (scope == "--project") for one in files(home))
    assert main(["install", agent, scope]) == exits.OK
    assert "nothing to do" in capsys.readouterr().out
    assert main(["uninstall", agent, scope, "--yes"]) == exits.OK
    assert files(home) == []
    assert main(["uninstall", agent, scope]) == exits.OK
    assert "nothing to do" in capsys.readouterr().out


def test_a_project_is_what_a_root_would_be_opened_on(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The repository around; a folder that is merely called .git makes none of those above."""
    (home / "shop" / "src").mkdir()
    monkeypatch.chdir(home / "shop" / "src")
    assert main(["install", "cursor", "--project", "--yes"]) == exits.OK
    assert all(one.startswith("shop/src/.cursor/") for one in files(home))
    assert main(["uninstall", "cursor", "--project", "--yes"]) == exits.OK
    (home / "shop" / ".git" / "HEAD").touch()
    assert main(["install", "cursor", "--project", "--yes"]) == exits.OK
    assert all(one.startswith(("shop/.cursor/", "shop/.git/")) for one in files(home))


def test_nothing_is_written_that_nobody_agreed_to(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a terminal and without --yes it is shown, refused, and not there."""
    assert main(["install", "claude"]) == exits.REFUSED
    said = capsys.readouterr()
    assert '+    "subsession": {' in said.out
    assert "say --yes" in said.err
    assert files(home) == []


def test_a_dry_run_shows_and_writes_nothing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It needs nobody's word, and says that nothing was changed."""
    assert main(["install", "gemini", "--dry-run"]) == exits.OK
    assert "nothing was changed" in capsys.readouterr().out
    assert files(home) == []


def test_a_person_is_asked_after_it_was_shown(home: Path) -> None:
    """What comes and goes is in colours; no and an empty line change nothing, yes does."""
    (home / ".claude.json").write_text("{}")
    for answer, status in (("n", exits.REFUSED), ("", exits.REFUSED), ("y", exits.OK)):
        with Terminal(*PROGRAM, "install", "claude", env={**os.environ, "TERM": "x"}) as terminal:
            terminal.wait_for("write this? [y/N] ")
            assert '\x1b[32m+    "subsession": {' in terminal.seen
            assert (home / ".claude.json").read_text() == "{}"
            terminal.press(f"{answer}\n")
            assert terminal.end() == status
    assert list(servers(home)) == ["subsession"]


def test_what_stands_under_our_name_is_shown_before_it_goes(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another entry is shown as what would go, stays without a word, and is kept beside."""
    before = '{"mcpServers": {"subsession": {"command": "theirs"}, "b": {}}}'
    (home / ".claude.json").write_text(before)
    assert main(["install", "claude"]) == exits.REFUSED
    assert '-{"mcpServers": {"subsession": {"command": "theirs"}' in capsys.readouterr().out
    assert (home / ".claude.json").read_text() == before
    assert main(["install", "claude", "--yes", "--json"]) == exits.OK
    told = json.loads(capsys.readouterr().out)
    assert [(file["was"], file["changes"]) for file in told["files"]] == [
        ([{"what": "server", "state": "different"}], True),
        ([{"what": "hook", "state": "absent"}], True),
    ]
    assert [Path(kept).read_text() for kept in told["kept"]] == [before]
    assert servers(home)["subsession"]["args"] == ["mcp"]
    assert servers(home)["b"] == {}


def test_a_file_that_cannot_be_read_is_left(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The place is said by line and column; the client's other file is not touched either."""
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text('{\n  "hooks": {,}\n}')
    assert main(["install", "claude", "--yes", "--json"]) == exits.REFUSED
    said = capsys.readouterr()
    error = json.loads(said.out)["error"]
    assert error["code"] == "FILE_REFUSED"
    assert "settings.json: line 2, column 13: a name in quotes is missing here" in error["message"]
    assert files(home) == [".claude/settings.json"]


def test_a_write_protected_file_is_refused_before_anybody_is_asked(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who protects a file means it, and root is nobody special."""
    (home / ".claude.json").write_text("{}")
    (home / ".claude.json").chmod(0o444)
    assert main(["install", "claude", "--yes"]) == exits.REFUSED
    said = capsys.readouterr()
    assert "is write-protected; it was left as it is" in said.err
    assert said.out == ""


def test_a_link_is_shown_with_its_target(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It stays a link; a project's that leads out of the project is seen to."""
    (home / "dotfiles").write_text("{}")
    (home / "shop" / ".mcp.json").symlink_to(home / "dotfiles")
    assert main(["install", "claude", "--project", "--yes"]) == exits.OK
    shown = f"+++ {home}/shop/.mcp.json -> {home}/dotfiles\n"
    assert shown in capsys.readouterr().out
    assert (home / "shop" / ".mcp.json").is_symlink()
    assert "subsession" in (home / "dotfiles").read_text()


def test_a_child_installs_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its shell is none of a person's, though it could write the files by other means."""
    monkeypatch.setenv("SUBSESSION_NODE", "0" * 26)
    assert main(["install", "claude", "--yes"]) == exits.REFUSED
    assert "leaves its person's settings alone" in capsys.readouterr().err
    assert files(home) == []


def test_the_daemon_that_was_named_is_the_one_that_is_started(home: Path) -> None:
    """Options that lead to another daemon go into the lines, as absolute paths."""
    assert main(["install", "claude", "--yes", "--state-dir", "mine"]) == exits.OK
    state = str(home / "shop" / "mine")
    assert servers(home)["subsession"]["args"] == ["mcp", "--state-dir", state]
    hook = (home / ".claude/settings.json").read_text()
    assert f"hook stop --state-dir {state}" in hook


def test_what_is_found_is_listed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each client with what it was found by, and each place where lines of ours are."""
    (home / "bin").mkdir()
    (home / "bin" / "codex").touch(0o755)
    assert main(["install", "codex", "--yes"]) == exits.OK
    capsys.readouterr()
    assert main(["install"]) == exits.OK
    said = capsys.readouterr().out.splitlines()
    assert "claude     Claude Code  not found" in said
    at = said.index(f"codex      Codex        found: {home}/bin/codex")
    assert said[at + 1] == f"  installed  server  user     {home}/.codex/config.toml"
    assert main(["install", "--json"]) == exits.OK
    told = {one["agent"]: one for one in json.loads(capsys.readouterr().out)["clients"]}
    assert tuple(told) == AGENTS
    assert [one["state"] for one in told["codex"]["places"]] == ["installed"] * 2 + ["absent"] * 2
    assert not told["zed"]["found"]


def test_the_passphrase_is_offered_where_none_is_set(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line says what it is good for; where one is set, nothing is said."""
    assert main(["install", "zed", "--yes"]) == exits.OK
    assert "`subsessiond passphrase` makes it" in capsys.readouterr().err
    settings = home / ".config" / "subsessiond" / "subsessiond.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('[operator]\npassphrase = "scrypt$x"\n')
    assert main(["install", "zed", "--yes"]) == exits.OK
    assert "passphrase" not in capsys.readouterr().err


def test_two_at_once_leave_one_entry(home: Path) -> None:
    """Neither fails, and the file is what one alone would have made of it."""
    (home / ".claude.json").write_text('{\n  "a": 1\n}\n')
    words = [*PROGRAM, "install", "claude", "--yes"]
    both = [subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=2) for _ in range(2)]
    assert [one.wait(20) for one in both] == [0, 0]
    assert list(servers(home)) == ["subsession"]
    assert main(["uninstall", "claude", "--yes"]) == exits.OK
    assert (home / ".claude.json").read_text() == '{\n  "a": 1\n}\n'
    assert not (home / ".claude").exists()
