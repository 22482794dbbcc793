"""Files as a model works on them."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from subsessiond.adapters.runners.model import files
from subsessiond.adapters.runners.model.files import FileFault


def test_a_file_is_read_in_parts_that_fit(tmp_path: Path) -> None:
    """The answer says where to go on."""
    path = tmp_path / "a.txt"
    path.write_text("".join(f"line {n} {'x' * 100}\n" for n in range(1, 1_001)))
    shown = files.read_part(path, 1, None)
    assert len(shown.encode()) <= files.ANSWER_BYTES + 100
    assert shown.startswith("line 1 ")
    last = int(shown.rpartition("firstLine ")[2].rstrip(")"))
    assert files.read_part(path, last, 1).startswith(f"line {last} ")
    assert files.read_part(path, 1_001, None) == "(nothing stands there)"
    assert files.read_part(path, 10**12, 5) == "(nothing stands there)"


def test_a_line_that_is_too_long_is_said_to_be(tmp_path: Path) -> None:
    """It is not cut in the middle without a word."""
    path = tmp_path / "a.txt"
    path.write_text("x" * (files.ANSWER_BYTES + 1))
    assert "line 1 alone" in files.read_part(path, 1, None)


def test_what_is_no_text_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes, a folder, a missing file, one that is too large, a pipe that nobody writes into."""
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "large").write_bytes(b"x" * 2_000)
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr(files, "FILE_BYTES", 1_000)
    for name, words in {
        "bytes": "not text",
        "large": "larger",
        "pipe": "no plain file",
        "missing": "no such file",
        ".": "no plain file",
    }.items():
        with pytest.raises(FileFault, match=words):
            files.read_part(tmp_path / name, 1, None)


def test_a_folder_is_listed_and_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders end with a slash; what is too much is counted."""
    (tmp_path / "b").mkdir()
    (tmp_path / "a.txt").touch()
    assert files.list_folder(tmp_path) == "a.txt\nb/"
    assert files.list_folder(tmp_path / "b") == "(the folder is empty)"
    monkeypatch.setattr(files, "NAMES_MOST", 1)
    assert files.list_folder(tmp_path) == "a.txt\n(1 more)"
    with pytest.raises(FileFault, match="no such file"):
        files.list_folder(tmp_path / "c")


def test_a_text_is_found_below_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With path and line; what is no text holds nothing, hidden stores are left out."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("one\n  two needle\n")
    (tmp_path / "src" / "b").write_bytes(b"needle\xff")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "c").write_text("needle")
    assert files.search(tmp_path, tmp_path, "needle") == "src/a.py:2: two needle"
    assert files.search(tmp_path, tmp_path / "src" / "a.py", "one") == "src/a.py:1: one"
    assert files.search(tmp_path, tmp_path, "nowhere") == "(found nowhere)"
    monkeypatch.setattr(files, "FOUND_MOST", 1)
    (tmp_path / "z.py").write_text("needle\nneedle")
    assert files.search(tmp_path, tmp_path, "needle").endswith("look in a smaller folder)")
    for text, start in (("", "src"), ("x", "missing")):
        with pytest.raises(FileFault):
            files.search(tmp_path, tmp_path / start, text)


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    """With the folders it lies in; what stood there before is gone."""
    path, inside = tmp_path / "new" / "a.txt", "new/a.txt"
    assert files.write_whole(tmp_path, inside, "longer than after") == "written, 17 bytes"
    files.write_whole(tmp_path, inside, "é")
    assert path.read_bytes() == "é".encode()
    with pytest.raises(FileFault, match="half a character"):
        files.write_whole(tmp_path, inside, "\ud800")
    assert path.read_bytes() == "é".encode()
    with pytest.raises(FileFault):
        files.write_whole(tmp_path, "new/a.txt/b", "x")


def test_no_link_is_written_through(tmp_path: Path) -> None:
    """Where a file really is was looked at before; a link that comes after that is not followed."""
    (tmp_path / "other").write_text("kept")
    (tmp_path / "link").symlink_to("other")
    with pytest.raises(FileFault):
        files.write_whole(tmp_path, "link", "x")
    assert (tmp_path / "other").read_text() == "kept"


def test_no_folder_that_was_exchanged_leads_elsewhere(tmp_path: Path) -> None:
    """Also a link in the place of a folder on the way, and a second name of another's file."""
    (tmp_path / "other").mkdir()
    kept = tmp_path / "other" / "a.txt"
    kept.write_text("kept")
    (tmp_path / "mine").symlink_to("other")
    works: tuple[Callable[[], str], ...] = (
        lambda: files.write_whole(tmp_path, "mine/a.txt", "x"),
        lambda: files.write_whole(tmp_path, "mine/new/a.txt", "x"),
        lambda: files.edit(tmp_path, "mine/a.txt", "kept", "x"),
        lambda: files.delete(tmp_path, "mine/a.txt"),
    )
    for work in works:
        with pytest.raises(FileFault):
            work()
    os.link(kept, tmp_path / "second")
    files.write_whole(tmp_path, "second", "x")
    assert kept.read_text() == "kept"
    assert os.listdir(tmp_path / "other") == ["a.txt"]


def test_a_file_of_nothing_but_line_feeds_is_a_file(tmp_path: Path) -> None:
    """Millions of rows are neither made nor found one by one."""
    (tmp_path / "a").write_bytes(b"\n" * files.FILE_BYTES)
    assert files.read_part(tmp_path / "a", files.FILE_BYTES, 5) == "\n"
    assert "lines; go on with firstLine 32769)" in files.read_part(tmp_path / "a", 1, None)
    found = files.search(tmp_path, tmp_path, "\n")
    assert found.startswith("a:1: \na:2: \n")
    assert found.endswith(files.MORE)


def test_a_piece_is_replaced_where_it_stands_once(tmp_path: Path) -> None:
    """Twice or nowhere is told, and nothing is changed."""
    path = tmp_path / "a.txt"
    path.write_text("one two two")
    assert files.edit(tmp_path, "a.txt", "one", "1") == "replaced"
    for old, words in (("two", "2 times"), ("three", "0 times"), ("", "empty")):
        with pytest.raises(FileFault, match=words):
            files.edit(tmp_path, "a.txt", old, "x")
    assert path.read_text() == "1 two two"


def test_a_file_is_deleted(tmp_path: Path) -> None:
    """A folder is not."""
    path = tmp_path / "a.txt"
    path.touch()
    assert files.delete(tmp_path, "a.txt") == "deleted"
    assert not path.exists()
    for name in ("a.txt", "."):
        with pytest.raises(FileFault):
            files.delete(tmp_path, name)
