from collections.abc import Iterator

from subsessiond.adapters.runners.copying import copy_errors
from tests.support.transcripts import ListedTranscript


class Printing:
    """A process whose errors were read too late once."""

    def __init__(self) -> None:
        self.stderr_bytes = 0
        self._chunks: Iterator[tuple[int, bytes]] = iter([(3, b"abc"), (10, b"ijk"), (2, b"lm")])

    async def read_stderr(self) -> bytes:
        """Give the end of what was written since the last call."""
        written, chunk = next(self._chunks, (0, b""))
        self.stderr_bytes += written
        return chunk


async def test_holes_are_told() -> None:
    """What was written and not read stands before what was read after it."""
    transcript = ListedTranscript()
    await copy_errors(Printing(), transcript)  # type: ignore[arg-type]
    assert transcript.joined("err") == b"abcijklm"
    assert transcript.lost == 7
    assert transcript.total_bytes == 15
