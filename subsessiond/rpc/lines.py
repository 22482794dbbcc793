"""Bytes to lines, however they were chunked; what is too long for one is counted and not kept."""

from collections.abc import Iterator


class Lines:
    """Splits one stream.

    Args:
        most_bytes: Of one line, its end left out.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._parts: list[bytes] = []
        self._is_too_long = False
        self.held_bytes = 0
        """What is kept of a line that is not whole yet."""

    def feed(self, data: bytes) -> Iterator[bytes | None]:
        """Take the next bytes.

        Returns:
            Every line that ends in them, without its end; none for one that was too long.
        """
        *ends, rest = data.split(b"\n")
        for end in ends:
            self._keep(end)
            yield self._whole()
        self._keep(rest)

    def _keep(self, part: bytes) -> None:
        if self._is_too_long or not part:
            return
        self.held_bytes += len(part)
        self._parts.append(part)
        if self.held_bytes > self._most_bytes:
            self._drop()
            self._is_too_long = True

    def _whole(self) -> bytes | None:
        line = None if self._is_too_long else b"".join(self._parts).rstrip(b"\r")
        self._is_too_long = False
        self._drop()
        return line

    def _drop(self) -> None:
        self._parts.clear()
        self.held_bytes = 0
