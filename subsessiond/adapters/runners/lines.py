"""Bytes as they come out of a pipe, cut into lines.

Owns where a line begins and ends, and how long it may be. What a line means is not its business.
"""

from typing import Final

LINE_BYTES: Final = 16 * 1024 * 1024
"""The longest line that is read: agents put whole files into one, and not much more."""

_BOM: Final = b"\xef\xbb\xbf"


class Lines:
    r"""Cuts chunks into lines, wherever the chunks end.

    A line is given without its end (`\n` or `\r\n`) and without a byte-order mark; blank lines are
    not given. One that is too long is dropped whole, and what follows it is read as if it had not
    been there; no more than a line of the allowed length and a chunk is ever held.

    Args:
        limit_bytes: the longest line that is given.
    """

    def __init__(self, limit_bytes: int = LINE_BYTES) -> None:
        self._limit = limit_bytes
        self._held = bytearray()
        self._skipping = False
        self.dropped = 0
        """Lines that were too long."""

    def feed(self, chunk: bytes) -> list[bytes]:
        """Take the next bytes; gives the lines that end in them."""
        *ended, rest = chunk.split(b"\n")
        lines = [line for part in ended if (line := self._end_line(part))]
        self._hold(rest)
        return lines

    def end(self) -> list[bytes]:
        """Give the last line, where the bytes ended without ending it."""
        last = self._end_line(b"")
        return [last] if last else []

    def _end_line(self, part: bytes) -> bytes:
        """Give the line that ends here; empty when it is blank or too long."""
        if self._skipping:
            self._skipping = False
            return b""
        line = bytes(self._held) + part if self._held else part
        self._held.clear()
        line = line.removesuffix(b"\r").removeprefix(_BOM)
        if len(line) <= self._limit:
            return line if line.strip() else b""
        self.dropped += 1
        return b""

    def _hold(self, rest: bytes) -> None:
        if self._skipping:
            return
        self._held += rest
        # Why more than the limit: a mark before the line and a return after it are not its own.
        if len(self._held) > self._limit + len(_BOM) + 1:
            self._held = bytearray()
            self._skipping = True
            self.dropped += 1
