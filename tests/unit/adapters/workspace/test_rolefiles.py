import hashlib
import os
from pathlib import Path

import pytest

from subsessiond.adapters.workspace.rolefiles import (
    ENTRIES_MOST,
    FILE_BYTES,
    FILES_MOST,
    read_role_files,
)
from subsessiond.model.projectrole import RoleFile


def folder_in(workspace: Path) -> Path:
    """Make the folder of roles."""
    folder = workspace / ".claude/agents"
    folder.mkdir(parents=True)
    return folder


def test_a_workspace_without_roles_has_none(tmp_path: Path) -> None:
    """Nor one in which a file stands in the place of the folder."""
    assert read_role_files(str(tmp_path)) == ()
    (tmp_path / ".claude").touch()
    assert read_role_files(str(tmp_path)) == ()
    assert read_role_files(str(tmp_path / "gone")) == ()


def test_files_are_read_by_name(tmp_path: Path) -> None:
    """With the hash of their very bytes; what ends otherwise is none."""
    folder = folder_in(tmp_path)
    (folder / "b.md").write_bytes("é\r\n".encode())
    (folder / "a.md").touch()
    (folder / "c.txt").touch()
    assert read_role_files(str(tmp_path)) == (
        RoleFile(file=".claude/agents/a.md", digest=hashlib.sha256(b"").hexdigest()),
        RoleFile(
            file=".claude/agents/b.md",
            digest=hashlib.sha256("é\r\n".encode()).hexdigest(),
            text="é\r\n",
        ),
    )


def test_what_is_no_plain_file_is_not_read(tmp_path: Path) -> None:
    """Links, in and out of the workspace, folders and pipes: nobody waits, nothing is followed."""
    folder = folder_in(tmp_path)
    (tmp_path / "real.md").write_text("secret")
    (folder / "in.md").symlink_to(tmp_path / "real.md")
    (folder / "out.md").symlink_to("/etc/passwd")
    (folder / "folder.md").mkdir()
    os.mkfifo(folder / "pipe.md")
    found = {Path(file.file).stem: file for file in read_role_files(str(tmp_path))}
    link = "is a link, and no link is followed here"
    assert {name: file.problem for name, file in found.items()} == {
        "in": link,
        "out": link,
        "folder": "is no plain file",
        "pipe": "is no plain file",
    }
    assert not any(file.text or file.digest for file in found.values())


@pytest.mark.parametrize("place", [".claude", ".claude/agents"])
def test_no_folder_on_the_way_is_a_link(tmp_path: Path, place: str) -> None:
    """It could lead anywhere; so there are no roles."""
    work, other = tmp_path / "work", tmp_path / "other"
    work.mkdir()
    (other / "agents").mkdir(parents=True)
    (other / "a.md").touch()
    (other / "agents/a.md").touch()
    (work / place).parent.mkdir(exist_ok=True)
    (work / place).symlink_to(other)
    assert read_role_files(str(work)) == ()


def test_sizes_and_numbers_are_bounded(tmp_path: Path) -> None:
    """Of a huge file no more is read than tells that it is one; files beyond a number say so."""
    folder = folder_in(tmp_path)
    (folder / "0.md").write_bytes(b"x" * FILE_BYTES)
    with (folder / "1.md").open("wb") as huge:
        huge.truncate(10 * 1024 * 1024)
    for number in range(FILES_MOST):
        (folder / f"f{number:03}.md").touch()
    first, second, *others = read_role_files(str(tmp_path))
    assert (len(first.text), first.problem) == (FILE_BYTES, "")
    assert (second.text, second.problem) == ("", f"has more than {FILE_BYTES} bytes")
    assert [file.problem for file in others].count(f"is beyond the first {FILES_MOST} files") == 2
    for number in range(ENTRIES_MOST):
        (folder / f"g{number:04}.md").touch()
    assert len(read_role_files(str(tmp_path))) == ENTRIES_MOST


@pytest.mark.parametrize(
    ("content", "problem"), [(b"\xff\xfe", "is no UTF-8"), (b"a\0b", "contains a NUL")]
)
def test_what_is_no_text_is_not_read(tmp_path: Path, content: bytes, problem: str) -> None:
    """It has a hash all the same, and a name that can be written down."""
    folder = folder_in(tmp_path)
    (folder / os.fsdecode(b"\xff.md")).write_bytes(content)
    (file,) = read_role_files(str(tmp_path))
    assert (file.text, file.problem) == ("", problem)
    assert file.digest == hashlib.sha256(content).hexdigest()
    assert file.file == ".claude/agents/\\udcff.md"
