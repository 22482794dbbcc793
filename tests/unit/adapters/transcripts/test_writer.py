import threading
from pathlib import Path

import msgspec
import pytest

from subsessiond.adapters.transcripts import writer as module
from subsessiond.adapters.transcripts.layout import file_name
from subsessiond.adapters.transcripts.spool import Part, Spool
from subsessiond.adapters.transcripts.writer import CHILD_BYTES, Piece, Source, Writer
from subsessiond.model.ids import NodeId

NODE, OTHER = NodeId("0" * 26), NodeId("1" * 26)


def test_pieces_of_several_children_are_written_each_to_its_own(tmp_path: Path) -> None:
    """One thread serves all; what waits is written before it stops."""
    writer, first, second = Writer(), Source(NODE, tmp_path), Source(OTHER, tmp_path)
    for source, data in ((first, b"one\n"), (second, b"two\n"), (first, b"left")):
        writer.put(Piece(source, 5, "out", data, whole=False))
    writer.put(Piece(first, 6, "", b"", whole=True))
    writer.stop()
    assert b"left" in (tmp_path / NODE / file_name(1)).read_bytes()
    assert b"two" in (tmp_path / OTHER / file_name(1)).read_bytes()
    assert not [t for t in threading.enumerate() if t.name == "transcripts"]


def test_nothing_is_started_for_nothing() -> None:
    """A writer that was given nothing has no thread, and can be stopped."""
    Writer().stop()


def test_a_flood_is_dropped_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the disk stands still a child's queue is bounded, and another finds room."""
    gate = threading.Event()
    held = threading.Event()
    real = Spool.append

    def slow(self: Spool, pieces: list[Part]) -> None:
        held.set()
        assert gate.wait(20)
        real(self, pieces)

    monkeypatch.setattr(Spool, "append", slow)
    writer, flood, quiet = Writer(), Source(NODE, tmp_path), Source(OTHER, tmp_path)
    chunk = b"x" * 65_535 + b"\n"
    writer.put(Piece(flood, 5, "out", chunk, whole=False))
    assert held.wait(20)
    for _ in range(40):
        writer.put(Piece(flood, 5, "out", chunk, whole=False))
    writer.put(Piece(quiet, 5, "out", b"still here\n", whole=False))
    assert flood.put_bytes <= CHILD_BYTES
    lost = flood.lost_bytes
    assert lost == 41 * len(chunk) - flood.put_bytes
    gate.set()
    for source in (flood, quiet):
        writer.put(Piece(source, 6, "", b"", whole=True))
    writer.stop()
    said = "".join(file.read_text() for file in (tmp_path / NODE).iterdir())
    assert f"{lost} bytes were dropped" in said
    assert "still here" in (tmp_path / OTHER / file_name(1)).read_text()


def test_all_children_together_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits of all of them has a most; one piece too large for it is kept all the same."""
    monkeypatch.setattr(module, "QUEUED_BYTES", 10)
    monkeypatch.setattr(Writer, "_run", lambda _self: None)
    writer, first, second = Writer(), Source(NODE, tmp_path), Source(OTHER, tmp_path)
    writer.put(Piece(first, 5, "out", b"x" * 11, whole=False))
    writer.put(Piece(second, 5, "out", b"y", whole=False))
    assert (first.lost_bytes, second.lost_bytes) == (0, 1)
    writer.stop()


def test_a_fault_in_one_transcript_leaves_the_others_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread goes on after what nobody foresaw."""
    real = Spool.append

    def broken(self: Spool, pieces: list[Part]) -> None:
        if "bad" in pieces[0].text:
            raise RuntimeError("broken")
        real(self, pieces)

    monkeypatch.setattr(Spool, "append", broken)
    writer, bad, good = Writer(), Source(NODE, tmp_path), Source(OTHER, tmp_path)
    writer.put(Piece(bad, 5, "note", b"bad", whole=True))
    writer.put(Piece(good, 5, "note", b"good", whole=True))
    writer.put(Piece(good, 5, "", b"", whole=True))
    writer.stop()
    assert b"good" in (tmp_path / OTHER / file_name(1)).read_bytes()


def test_of_a_line_with_a_hole_nothing_is_kept(tmp_path: Path) -> None:
    """What came before and after a loss, up to the ends of their lines, is dropped and counted."""
    writer, source = Writer(), Source(NODE, tmp_path)
    writer.put(Piece(source, 5, "err", b"whole\nhalf a sec", whole=False))
    source.lost_bytes = 100
    writer.put(Piece(source, 5, "err", b"ret\nwhole again\n", whole=False))
    source.lost_bytes = 7
    writer.put(Piece(source, 6, "", b"", whole=True))
    writer.stop()
    lines = (tmp_path / NODE / file_name(1)).read_text().splitlines()
    texts = [msgspec.json.decode(line)["text"] for line in lines]
    assert texts == [
        "whole\n",
        "110 bytes were dropped here\n",
        "whole again\n",
        "7 bytes were dropped here\n",
    ]
