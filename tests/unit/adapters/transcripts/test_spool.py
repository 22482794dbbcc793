import os
import stat
from pathlib import Path

import msgspec
import pytest

from subsessiond.adapters.transcripts import spool as module
from subsessiond.adapters.transcripts.layout import FILE_BYTES, FILES, file_name, first_numbers
from subsessiond.adapters.transcripts.spool import Part, Spool
from subsessiond.ports import TranscriptEntry


def part(text: str) -> Part:
    """Make a piece."""
    return Part(7, "out", text, more=False)


def entries(folder: Path) -> list[TranscriptEntry]:
    """Read all there is."""
    raw = b"".join((folder / file_name(n)).read_bytes() for n in first_numbers(folder))
    return [msgspec.json.decode(line, type=TranscriptEntry) for line in raw.splitlines()]


def test_pieces_are_numbered_lines_for_the_owner_alone(tmp_path: Path) -> None:
    """Folder and file are closed to others, and every piece has the next number."""
    spool = Spool(tmp_path / "transcripts" / "n")
    spool.append([part("a\n"), part("b\n")])
    spool.append([])
    spool.close()
    folder = tmp_path / "transcripts" / "n"
    assert [(e.n, e.at_ms, e.kind, e.text) for e in entries(folder)] == [
        (1, 7, "out", "a\n"),
        (2, 7, "out", "b\n"),
    ]
    for path, mode in ((folder.parent, 0o700), (folder, 0o700), (folder / file_name(1), 0o600)):
        assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_transcript_goes_on_where_it_ended(tmp_path: Path) -> None:
    """Another life goes on with the next number; half a line at the end is cut off."""
    first = Spool(tmp_path / "n")
    first.append([part("a\n"), part("b\n")])
    first.close()
    with (tmp_path / "n" / file_name(1)).open("ab") as file:
        file.write(b'{"n":3,"atMs":1,"ki')
    again = Spool(tmp_path / "n")
    again.append([part("c\n")])
    again.append([part("d\n")])
    again.close()
    assert [(e.n, e.text) for e in entries(tmp_path / "n")] == [
        (1, "a\n"),
        (2, "b\n"),
        (3, "c\n"),
        (4, "d\n"),
    ]


def test_an_altered_line_hides_no_number(tmp_path: Path) -> None:
    """The next number follows the last line that can be read."""
    spool = Spool(tmp_path / "n")
    spool.append([part("a\n")])
    spool.close()
    with (tmp_path / "n" / file_name(1)).open("ab") as file:
        file.write(b"not ours\n")
    spool.append([part("b\n")])
    spool.close()
    last = (tmp_path / "n" / file_name(1)).read_bytes().splitlines()[-1]
    assert msgspec.json.decode(last, type=TranscriptEntry).n == 2


def test_the_beginning_and_the_newest_are_kept(tmp_path: Path) -> None:
    """Of a transcript beyond its bound, the first file stays and the oldest of the others go."""
    spool = Spool(tmp_path / "n")
    line = "x" * 60_000 + "\n"
    count = (FILES + 3) * FILE_BYTES // len(line)
    for _ in range(count):
        spool.append([part(line)])
    spool.close()
    firsts = first_numbers(tmp_path / "n")
    assert len(firsts) == FILES
    assert firsts[0] == 1
    kept = entries(tmp_path / "n")
    assert kept[-1].n == count
    assert kept[0].n == 1
    total = sum(file.stat().st_size for file in (tmp_path / "n").iterdir())
    assert total <= FILES * (FILE_BYTES + module.WRITE_CHARACTERS)


def test_one_write_is_bounded(tmp_path: Path) -> None:
    """Many pieces at once do not make one file grow past its bound."""
    spool = Spool(tmp_path / "n")
    spool.append([part("x" * 60_000 + "\n")] * 40)
    spool.close()
    sizes = [file.stat().st_size for file in (tmp_path / "n").iterdir()]
    assert len(sizes) >= 2
    assert max(sizes) <= FILE_BYTES + 2 * module.WRITE_CHARACTERS


def test_what_finds_no_room_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk loses pieces, whole ones, and the next that is written stands after the count."""
    spool = Spool(tmp_path / "n")
    spool.append([part("a\n")])
    real = os.write

    def half(descriptor: int, data: bytes) -> int:
        return real(descriptor, data[:5])

    with monkeypatch.context() as full:
        full.setattr(os, "write", half)
        spool.append([part("bbb\n")])
    spool.lose(6)
    spool.append([part("c\n")])
    spool.close()
    assert [(e.n, e.kind, e.text) for e in entries(tmp_path / "n")] == [
        (1, "out", "a\n"),
        (2, "lost", "10 bytes were dropped here\n"),
        (3, "out", "c\n"),
    ]


def test_a_disk_that_refuses_is_a_loss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that fails altogether is counted as one that was cut short."""
    spool = Spool(tmp_path / "n")

    def refuse(descriptor: int, data: bytes) -> int:
        raise OSError(28, "no room")

    with monkeypatch.context() as full:
        full.setattr(os, "write", refuse)
        spool.append([part("bbb\n")])
    spool.append([part("c\n")])
    spool.close()
    assert [e.text for e in entries(tmp_path / "n")] == ["4 bytes were dropped here\n", "c\n"]


def test_what_is_lost_last_is_told_too(tmp_path: Path) -> None:
    """A transcript that ends with a loss says so, and one without says nothing."""
    spool = Spool(tmp_path / "n")
    spool.note_lost(8)
    assert not (tmp_path / "n").exists()
    spool.lose(6)
    spool.note_lost(8)
    spool.close()
    assert [(e.at_ms, e.kind) for e in entries(tmp_path / "n")] == [(8, "lost")]


def test_a_place_that_cannot_be_written_harms_nobody(tmp_path: Path) -> None:
    """Where no folder can be made, pieces are counted until one can."""
    (tmp_path / "file").write_text("")
    spool = Spool(tmp_path / "file" / "n")
    spool.append([part("aa\n")])
    (tmp_path / "file").unlink()
    spool.append([part("b\n")])
    spool.close()
    assert [e.text for e in entries(tmp_path / "file" / "n")] == [
        "3 bytes were dropped here\n",
        "b\n",
    ]
