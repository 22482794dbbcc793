import os
from pathlib import Path

import pytest

from subsessiond.adapters.runners.placing import delete_inside, make_folder_inside, write_inside


def test_a_file_is_put_there_in_one_step(tmp_path: Path) -> None:
    """Folders are made, the mode of what was there is kept, and nothing else is left."""
    write_inside(str(tmp_path), "a/b/c", b"one")
    (tmp_path / "a/b/c").chmod(0o750)
    write_inside(str(tmp_path), "a/b/c", b"two")
    assert (tmp_path / "a/b/c").read_bytes() == b"two"
    assert (tmp_path / "a/b/c").stat().st_mode & 0o777 == 0o750
    assert os.listdir(tmp_path / "a/b") == ["c"]


@pytest.mark.parametrize(
    ("inside", "why"),
    [
        ("link/x", "Not a directory"),
        ("link", "no regular file"),
        ("folder", "no regular file"),
        ("pipe", "no regular file"),
        ("file/x", "Not a directory"),
        ("..", "no regular file"),
    ],
)
def test_nothing_is_written_but_plain_files_below(tmp_path: Path, inside: str, why: str) -> None:
    """A link on the way or at the end, a folder, a pipe: it stays, and nothing is left behind."""
    base = tmp_path / "base"
    (base / "folder").mkdir(parents=True)
    (base / "link").symlink_to("folder")
    os.mkfifo(base / "pipe")
    (base / "file").touch()
    with pytest.raises(OSError, match=why):
        write_inside(str(base), inside, b"new")
    assert sorted(os.listdir(base)) == ["file", "folder", "link", "pipe"]
    assert os.listdir(base / "folder") == []


def test_a_file_is_deleted_and_a_link_is_not_followed(tmp_path: Path) -> None:
    """What lies behind a link on the way stays."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b").touch()
    (tmp_path / "link").symlink_to("a")
    with pytest.raises(NotADirectoryError):
        delete_inside(str(tmp_path), "link/b")
    delete_inside(str(tmp_path), "a/b")
    assert os.listdir(tmp_path / "a") == []
    with pytest.raises(FileNotFoundError):
        delete_inside(str(tmp_path), "a/b")


def test_folders_are_made_where_they_are_missing(tmp_path: Path) -> None:
    """Again is no harm; a link on the way and a file in its place are."""
    make_folder_inside(str(tmp_path), "a/b/c")
    make_folder_inside(str(tmp_path), "a/b/c")
    assert (tmp_path / "a/b/c").is_dir()
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "file").touch()
    for inside in ("link/x", "file"):
        with pytest.raises(NotADirectoryError):
            make_folder_inside(str(tmp_path), inside)
    assert os.listdir(tmp_path / "a") == ["b"]
