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
