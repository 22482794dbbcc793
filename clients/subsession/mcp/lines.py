"""Lines of a stream, however its pieces are cut."""

from collections.abc import Iterator

LINE_MOST_BYTES = 16 * 1024 * 1024


class Lines:
    """Cuts what is fed to it; of a line that is too long the front is kept, one byte too many.

    Why kept: whoever is given it can tell that it was too long, and nothing else needs to.
    """

    def __init__(self, most_bytes: int = LINE_MOST_BYTES) -> None:
        self._most = most_bytes
        self._parts: list[bytes] = []
        self._held = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Give the lines that are complete now, without their ends."""
        *whole, rest = data.split(b"\n")
        for piece in whole:
            self._hold(piece)
            yield self._take()
        self._hold(rest)

    def end(self) -> bytes:
        """Give what stands behind the last end of a line."""
        return self._take()

    def _hold(self, piece: bytes) -> None:
        room = self._most + 1 - self._held
        if piece and room > 0:
            self._parts.append(piece[:room])
            self._held += len(self._parts[-1])

    def _take(self) -> bytes:
        line = b"".join(self._parts)
        self._parts, self._held = [], 0
        return line
