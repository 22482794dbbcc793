import os
from pathlib import Path

from subsessiond.adapters.transcripts.pruning import prune


def transcript(base: Path, letter: str, seconds: int, size: int) -> Path:
    """Make a transcript that was last written then."""
    folder = base / (letter * 26)
    folder.mkdir(parents=True)
    file = folder / "000000000001.jsonl"
    file.write_bytes(b"x" * size)
    os.utime(file, (seconds, seconds))
    return folder


def test_old_ones_go(tmp_path: Path) -> None:
    """What was last written before the instant is removed; what is under way stays."""
    old, live, new = (transcript(tmp_path, a, s, 1) for a, s in (("a", 5), ("b", 6), ("c", 50)))
    assert prune(tmp_path, 10_000, 100, {live.name}) == 1
    assert not old.exists()
    assert live.exists()
    assert new.exists()


def test_the_oldest_go_while_there_is_too_much(tmp_path: Path) -> None:
    """Together they take no more than they may; the newest are kept."""
    folders = [transcript(tmp_path, a, s, 40) for a, s in (("c", 5), ("b", 6), ("a", 7))]
    assert prune(tmp_path, 0, 100, ()) == 1
    assert [folder.exists() for folder in folders] == [False, True, True]


def test_what_else_lies_there_stays(tmp_path: Path) -> None:
    """Only folders named by an id are transcripts; an empty one is as old as itself."""
    (tmp_path / "notes").mkdir()
    empty = tmp_path / ("e" * 26)
    empty.mkdir()
    os.utime(empty, (5, 5))
    assert prune(tmp_path, 10_000, 0, ()) == 1
    assert (tmp_path / "notes").exists()
    assert prune(tmp_path / "no", 10_000, 0, ()) == 0
