r"""Rows of a large text, found without cutting all of it into rows.

A file of nothing but line feeds has millions of them: to make each a text of its own would take
seconds and a gigabyte. Here no step is larger than a piece, so that in a thread it holds up nobody.
"""

from typing import Final

_PIECE: Final = 64 * 1024


def rows_of(raw: bytes, first: int, count: int | None) -> bytes:
    r"""Give some rows as they stand, each with its `\n`.

    Args:
        raw: the text.
        first: rows before the first one given.
        count: how many; none for all that follow.
    """
    start = _row_start(raw, 0, first)
    return raw[start : len(raw) if count is None else _row_start(raw, start, count)]


def count_rows(raw: bytes) -> int:
    """Count the rows; what follows the last line feed is one."""
    return raw.count(b"\n") + bool(raw and not raw.endswith(b"\n"))


def _row_start(raw: bytes, start: int, rows: int) -> int:
    """Give where the row begins that stands so many rows after one that begins at `start`."""
    while rows > 0 and start < len(raw):
        found = raw.count(b"\n", start, start + _PIECE)
        if found < rows:
            rows, start = rows - found, start + _PIECE
            continue
        for _ in range(rows):
            start = raw.index(b"\n", start) + 1
        return start
    return min(start, len(raw))
