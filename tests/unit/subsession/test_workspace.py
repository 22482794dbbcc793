"""Which folder is meant where nobody names one."""

from pathlib import Path

import pytest

from subsession.workspace import workspace_here


def make_repository(folder: Path) -> None:
    """Make a folder look like a repository."""
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")


def test_the_way_up_finds_the_nearest_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder called .git with nothing in it is none; the file of a worktree is one."""
    here = tmp_path / "a" / "b" / "c"
    here.mkdir(parents=True)
    monkeypatch.chdir(here)
    make_repository(tmp_path)
    (tmp_path / "a" / "b" / ".git").mkdir()
    assert workspace_here() == tmp_path
    (tmp_path / "a" / ".git").write_text("gitdir: elsewhere\n")
    assert workspace_here() == tmp_path / "a"
    make_repository(here)
    assert workspace_here() == here


def test_the_way_up_ends_below_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A home folder that is kept in git is meant only by who stands in it."""
    make_repository(tmp_path)
    make_repository(tmp_path / "home")
    (tmp_path / "home" / "notes").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "home" / "notes")
    assert workspace_here() == tmp_path / "home" / "notes"
    monkeypatch.chdir(tmp_path / "home")
    assert workspace_here() == tmp_path / "home"


def test_the_way_up_ends_below_a_folder_of_everybody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody can make a repository of others' folders by putting one above them."""
    make_repository(tmp_path / "all")
    (tmp_path / "all").chmod(0o1777)
    (tmp_path / "all" / "mine").mkdir()
    monkeypatch.chdir(tmp_path / "all" / "mine")
    assert workspace_here() == tmp_path / "all" / "mine"
