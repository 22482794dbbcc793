"""The files of one transcript, as the thread that writes them sees them."""

import os
from pathlib import Path
from typing import NamedTuple

import msgspec

from subsessiond.adapters.transcripts.layout import (
    FILE_BYTES,
    FILES,
    first_numbers,
    open_file,
    remove_file,
)
from subsessiond.ports import TranscriptEntry

WRITE_CHARACTERS = 128 * 1024
"""Of one write; a file is that much larger than it should be at most."""

_LAST_BYTES = 1024 * 1024
"""More than any line has: the last whole line of a file lies in it."""

_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(TranscriptEntry).decode


class Part(NamedTuple):
    """A piece as text."""

    at_ms: int
    kind: str
    text: str
    more: bool
    """The next one of its kind goes on with the same line."""


class Spool:
    """Appends numbered pieces; nothing of it raises for a disk.

    Args:
        folder: The transcript's folder; made when the first piece comes.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._descriptor = -1
        self._size = 0
        self._next = 1
        self._firsts: list[int] = []
        self._lost_bytes = 0

    def lose(self, count: int) -> None:
        """Count bytes that were dropped; what finds room next is told after them."""
        self._lost_bytes += count

    def append(self, pieces: list[Part]) -> None:
        """Write pieces, and before them how much was dropped since the last that found room."""
        upto = 0
        while upto < len(pieces):
            some: list[Part] = []
            size = 0
            while upto < len(pieces) and size < WRITE_CHARACTERS:
                some.append(pieces[upto])
                size += len(pieces[upto].text)
                upto += 1
            self._append(some, size)

    def note_lost(self, at_ms: int) -> None:
        """Say what was dropped, where nothing comes after it any more."""
        if self._lost_bytes:
            self._append([], 0, at_ms)

    def _append(self, pieces: list[Part], size: int, at_ms: int = 0) -> None:
        if self._lost_bytes:
            lost = f"{self._lost_bytes} bytes were dropped here\n"
            at_ms = pieces[0].at_ms if pieces else at_ms
            pieces = [Part(at_ms, "lost", lost, more=False), *pieces]
        try:
            self._write(pieces)
        except OSError:
            self._lost_bytes += size
            self._shut()
        else:
            self._lost_bytes = 0

    def _write(self, pieces: list[Part]) -> None:
        if self._descriptor < 0:
            self._open()
        if self._size >= FILE_BYTES:
            self._rotate()
        entries = [
            TranscriptEntry(n=n, at_ms=at_ms, kind=kind, text=text, more=more)
            for n, (at_ms, kind, text, more) in enumerate(pieces, self._next)
        ]
        data = b"".join(_encode(entry) + b"\n" for entry in entries)
        try:
            written = os.write(self._descriptor, data)
        except OSError:
            written = 0
        if written < len(data):
            # Why cut: what follows must stand on a line of its own. Cutting needs no room.
            os.ftruncate(self._descriptor, self._size)
            raise OSError("there was no room for all of it")
        self._size += len(data)
        self._next += len(entries)

    def _open(self) -> None:
        """Go on where the transcript ends; half a line at its end is cut off."""
        self._folder.parent.mkdir(mode=0o700, exist_ok=True)
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self._firsts = list(first_numbers(self._folder)) or [1]
        self._begin(self._firsts[-1])
        self._size = os.lseek(self._descriptor, 0, os.SEEK_END)
        start = max(0, self._size - _LAST_BYTES)
        tail = os.pread(self._descriptor, self._size - start, start)
        upto = tail.rfind(b"\n") + 1
        if upto < len(tail):
            self._size = start + upto
            os.ftruncate(self._descriptor, self._size)
        lines = reversed(tail[:upto].split(b"\n"))
        self._next = next((n + 1 for n in map(_number, lines) if n), self._firsts[-1])

    def _begin(self, first: int) -> None:
        self._shut()
        self._descriptor = open_file(self._folder, first, _FLAGS)
        self._size = 0

    def _rotate(self) -> None:
        """Go on in a fresh file, and drop the oldest but the first."""
        self._begin(self._next)
        self._firsts.append(self._next)
        while len(self._firsts) > FILES:
            remove_file(self._folder, self._firsts.pop(1))

    def _shut(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def close(self) -> None:
        """Give the descriptor back; the next piece opens it again."""
        self._shut()


def _number(line: bytes) -> int:
    """Read the number of a line; of one that was altered, none."""
    try:
        return _decode(line).n
    except msgspec.DecodeError:
        return 0
