import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from subsession.install import files
from subsession.install.files import BACKUPS, Refusal, check_writable, read, remove, replace


def names(folder: Path) -> list[str]:
    """List what lies in a folder."""
    return sorted(one.name for one in folder.iterdir())


def test_a_file_is_replaced_with_its_mode(tmp_path: Path) -> None:
    """The new one has the mode of the old, which is kept beside it with the same mode."""
    path = tmp_path / "settings.json"
    path.write_bytes(b"old")
    path.chmod(0o640)
    kept = replace(read(path), b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert kept is not None
    assert kept.read_bytes() == b"old"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o640
    assert not kept.name.endswith(".json")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user_stays_theirs(tmp_path: Path) -> None:
    """Who edits as root does not take the file from its owner."""
    path = tmp_path / "settings.json"
    path.write_bytes(b"old")
    os.chown(path, 12345, 12346)
    replace(read(path), b"new")
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 12346)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """Of a linked file the target is replaced, or made, in the folder where it is."""
    real = tmp_path / "dotfiles"
    real.mkdir()
    (real / "settings").write_bytes(b"old")
    for name in ("settings", "missing"):
        link = tmp_path / f"{name}.json"
        link.symlink_to(real / name)
        kept = replace(read(link), b"new")
        assert link.is_symlink()
        assert (real / name).read_bytes() == b"new"
        assert kept is None or kept.parent == real


def test_only_the_newest_few_are_kept(tmp_path: Path) -> None:
    """However often it is done, the folder does not fill up; the newest of the old stay."""
    path = tmp_path / "settings.json"
    path.write_bytes(b"0")
    for number in range(1, 7):
        replace(read(path), str(number).encode())
    kept = [tmp_path / name for name in names(tmp_path) if name != path.name]
    assert [one.read_bytes() for one in kept] == [b"3", b"4", b"5"]
    assert len(kept) == BACKUPS


def test_a_file_that_is_missing_is_made_for_its_owner(tmp_path: Path) -> None:
    """Folders above it too; nobody else may read it, and removing it takes these folders along."""
    path = tmp_path / "a" / "b" / "settings.json"
    found = read(path)
    folders = files.missing_folders(found)
    assert folders == (tmp_path / "a", tmp_path / "a" / "b")
    assert replace(found, b"new") is None
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    remove(read(path), folders)
    assert names(tmp_path) == []


def test_a_folder_with_something_else_in_it_stays(tmp_path: Path) -> None:
    """What was put beside our file since is nothing of ours."""
    path = tmp_path / "a" / "b" / "settings.json"
    folders = files.missing_folders(read(path))
    replace(read(path), b"new")
    (tmp_path / "a" / "else").touch()
    remove(read(path), folders)
    assert names(tmp_path / "a") == ["else"]


def test_what_cannot_be_edited_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder, a file that is too large, or one that its owner has write-protected."""
    with pytest.raises(Refusal, match="is no file"):
        read(tmp_path)
    path = tmp_path / "settings.json"
    path.write_bytes(b"old")
    path.chmod(0o444)
    with pytest.raises(Refusal, match="is write-protected"):
        check_writable(read(path))
    monkeypatch.setattr(files, "LARGEST_BYTES", 2)
    with pytest.raises(Refusal, match="too large"):
        read(path)


def test_what_could_not_be_replaced_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another user's file, and one in a folder that cannot be written, before anybody is asked."""
    path = tmp_path / "settings.json"
    path.write_bytes(b"old")
    with monkeypatch.context() as another:
        another.setattr(os, "geteuid", lambda: path.stat().st_uid + 4711)
        with pytest.raises(Refusal, match="belongs to another user"):
            check_writable(read(path))
    with monkeypatch.context() as closed:
        closed.setattr(os, "access", lambda *_: False)
        with pytest.raises(Refusal, match="in a folder that cannot be written"):
            check_writable(read(path))
    check_writable(read(path))
    check_writable(read(tmp_path / "missing"))


def test_a_file_that_is_gone_already_is_said(tmp_path: Path) -> None:
    """Somebody else has removed it in the meantime."""
    path = tmp_path / "settings.json"
    path.write_bytes(b"old")
    found = read(path)
    path.unlink()
    with pytest.raises(Refusal, match="cannot be removed"):
        remove(found, ())


def test_a_fifo_is_refused_at_once(tmp_path: Path) -> None:
    """Something in place of the file that would be waited for is not waited for."""
    os.mkfifo(tmp_path / "settings.json")
    with pytest.raises(Refusal, match="is no file"):
        read(tmp_path / "settings.json")


KILLED = """
import os, signal, sys
from pathlib import Path
from subsession.install import files
Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
files.replace(files.read(Path(sys.argv[1])), b"new")
"""


def test_who_is_killed_before_the_step_leaves_the_old_file(tmp_path: Path) -> None:
    """Between writing and taking its place nothing is half done, and the next run cleans up."""
    path = tmp_path / "settings.json"
    path.write_bytes(b"old")
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False, timeout=20)
    assert done.returncode == -9
    assert path.read_bytes() == b"old"
    assert ".settings.json.subsession-new" in names(tmp_path)
    replace(read(path), b"newer")
    assert path.read_bytes() == b"newer"
    assert ".settings.json.subsession-new" not in names(tmp_path)


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What could not be written whole takes no place."""
    path = tmp_path / "settings.json"
    path.write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Refusal, match="No space left"):
        replace(read(path), b"new")
    assert path.read_bytes() == b"old"


COUNTS = """
import sys
from pathlib import Path
from subsession.install.files import locked
count = Path(sys.argv[1]) / "count"
for _ in range(50):
    with locked(count.parent):
        count.write_text(str(int(count.read_text()) + 1))
"""


def test_one_at_a_time(tmp_path: Path) -> None:
    """Several of our kind that read, change and write lose nothing of each other's."""
    (tmp_path / "count").write_text("0")
    command = [sys.executable, "-c", COUNTS, str(tmp_path)]
    running = [subprocess.Popen(command) for _ in range(3)]
    assert [one.wait(20) for one in running] == [0, 0, 0]
    assert (tmp_path / "count").read_text() == "150"
