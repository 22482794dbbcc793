"""A journal read piece by piece: its lines one after the other, and never more than one of them."""

from collections.abc import Iterator
from typing import BinaryIO, Final

from subsessiond.adapters.journals.line import LINE_MOST_BYTES, decode
from subsessiond.ports import JournalRecord

PIECE_BYTES: Final = 1 << 16
"""Read at once; each is taken apart in the reader's own thread."""


class Pieces:
    """Takes pieces of a file and gives its lines, counted from 1."""

    def __init__(self) -> None:
        self._n = 1
        self._rest: list[bytes] = []
        self._rest_bytes = 0

    def take(self, piece: bytes) -> Iterator[tuple[int, bytes]]:
        """Take the next bytes of the file and give each line that ends in them, with its number."""
        *whole, rest = piece.split(b"\n")
        for part in whole:
            self._hold(part)
            yield self._n, self._held()
            self._n += 1
        self._hold(rest)

    def tail(self) -> JournalRecord | None:
        """Give what stands behind the last newline, if it is a whole record."""
        record = decode(b"".join(self._rest), self._n)
        return None if record.damaged else record

    def _hold(self, part: bytes) -> None:
        """Keep a part of a line, but not of one that is too long to be a record."""
        self._rest_bytes += len(part)
        if self._rest_bytes <= LINE_MOST_BYTES:
            self._rest.append(part)
        else:
            self._rest.clear()

    def _held(self) -> bytes:
        line, self._rest, self._rest_bytes = b"".join(self._rest), [], 0
        return line


def records_of(file: BinaryIO) -> Iterator[JournalRecord]:
    """Give the records of a whole journal, one after the other.

    A tail without newline is one of them only when it is a whole record.
    """
    pieces = Pieces()
    while piece := file.read(PIECE_BYTES):
        for n, line in pieces.take(piece):
            yield decode(line, n)
    tail = pieces.tail()
    if tail is not None:
        yield tail
