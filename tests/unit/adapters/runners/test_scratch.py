import os
from pathlib import Path

import pytest

from subsessiond.adapters.runners.scratch import drop_scratch, make_scratch


def test_it_is_its_owners_alone_and_holds_the_files(tmp_path: Path) -> None:
    """Folder and files are closed to others, and files may lie in folders of their own."""
    folder = tmp_path / "a" / "node"
    make_scratch(folder, [("home/.agent/config.json", "{}"), ("x", "é")])
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "home/.agent/config.json").stat().st_mode & 0o777 == 0o600
    assert (folder / "x").read_text("utf-8") == "é"


def test_what_an_earlier_life_left_is_gone(tmp_path: Path) -> None:
    """A folder is made fresh."""
    make_scratch(tmp_path / "n", [("old", "")])
    make_scratch(tmp_path / "n", [("new", "")])
    assert [path.name for path in (tmp_path / "n").iterdir()] == ["new"]
    drop_scratch(tmp_path / "n")
    drop_scratch(tmp_path / "n")
    assert not (tmp_path / "n").exists()


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a/../../x", ".."])
def test_no_file_leaves_it(tmp_path: Path, name: str) -> None:
    """A name that leads out of the folder is refused."""
    with pytest.raises(ValueError, match="no file inside"):
        make_scratch(tmp_path / "n", [(name, "")])


def test_what_is_nested_without_end_is_removed(tmp_path: Path) -> None:
    """A child that leaves three thousand folders in one another keeps nothing, and ends nothing."""
    folder = tmp_path / "n"
    make_scratch(folder, [("x", "")])
    below = os.open(folder, os.O_RDONLY)
    for _ in range(3_000):
        os.mkdir("d", dir_fd=below)
        inside = os.open("d", os.O_RDONLY, dir_fd=below)
        os.close(below)
        below = inside
    os.close(below)
    make_scratch(folder, [("new", "")])
    assert [path.name for path in folder.iterdir()] == ["new"]


def test_what_is_closed_is_removed_and_links_lead_nowhere(tmp_path: Path) -> None:
    """Folders without rights go too; what a link names stays, be it the folder itself."""
    folder, other = tmp_path / "n", tmp_path / "other"
    make_scratch(other, [("kept/file", "")])
    make_scratch(folder, [("a/b/c", "secret")])
    (folder / "a/link").symlink_to(other)
    (folder / "link").symlink_to(other)
    (folder / "a").chmod(0)
    drop_scratch(folder)
    assert not folder.exists()
    folder.symlink_to(other)
    drop_scratch(folder)
    assert (other / "kept/file").exists()
    with pytest.raises(FileExistsError):
        make_scratch(folder, [])
