"""The transcripts of a daemon, from the loop's side."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec

from subsessiond.adapters.transcripts.layout import folder_of
from subsessiond.adapters.transcripts.pruning import prune
from subsessiond.adapters.transcripts.reader import read_after, read_last
from subsessiond.adapters.transcripts.writer import Piece, Source, Writer
from subsessiond.model.ids import NodeId
from subsessiond.model.ledger import Stream
from subsessiond.ports import Clock, TranscriptData, TranscriptPage

_CANNOT: Final = (TypeError, ValueError, RecursionError, OverflowError)
_STREAMS: Final = frozenset(Stream)
DAY_MS: Final = 24 * 3_600_000

Count = Callable[[NodeId, Stream, int], None]


def _uncounted(_node: NodeId, _stream: Stream, _size: int) -> None:
    """Nobody counts."""


class FileTranscripts:
    """Keeps transcripts below one folder.

    Args:
        base: The folder; made when the first piece comes.
        clock: Stamps the pieces.
        count: Is told of all bytes that are given to be kept, whether there is room or not.
    """

    def __init__(self, base: Path, clock: Clock, count: Count = _uncounted) -> None:
        self._base = base
        self._clock = clock
        self.count = count
        self._writer = Writer()
        self._open: dict[NodeId, tuple[Source, int]] = {}
        """What is written now, and by how many."""

    def open(self, node_id: NodeId) -> "FileTranscript":
        """Go on with a child's transcript, or begin it; never blocks and never raises."""
        source, users = self._open.get(node_id) or (Source(node_id, self._base), 0)
        self._open[node_id] = (source, users + 1)
        return FileTranscript(self, source)

    async def read(
        self, node_id: NodeId, after: int | None, limit_bytes: int, before_bytes: int = 0
    ) -> TranscriptPage:
        """Read pieces with greater numbers, oldest first; the newest where none is named."""
        folder = folder_of(self._base, node_id)
        if after is None:
            return await read_last(folder, limit_bytes + before_bytes)
        return await read_after(folder, after, limit_bytes, before_bytes)

    async def prune(self, keep_days: int, most_bytes: int) -> int:
        """Remove what is older, then the oldest of what is too much; gives how many."""
        oldest_ms = self._clock.wall_ms() - keep_days * DAY_MS
        spare = frozenset(self._open)
        return await asyncio.to_thread(prune, self._base, oldest_ms, most_bytes, spare)

    async def aclose(self) -> None:
        """Write what waits, and end the thread."""
        await asyncio.to_thread(self._writer.stop)

    def put(self, source: Source, kind: str, data: bytes, *, whole: bool) -> None:
        """Queue a piece of one transcript."""
        self._writer.put(Piece(source, self._clock.wall_ms(), kind, data, whole=whole))

    def closed(self, node_id: NodeId) -> None:
        """Note that one who wrote it has ended."""
        source, users = self._open.pop(node_id)
        if users > 1:
            self._open[node_id] = (source, users - 1)


class FileTranscript:
    """One transcript."""

    def __init__(self, owner: FileTranscripts, source: Source) -> None:
        self._owner = owner
        self._source = source
        self._bytes = 0
        self._closed = False

    @property
    def total_bytes(self) -> int:
        """All that was ever given to `write`, kept or dropped."""
        return self._bytes

    def write(self, kind: str, data: TranscriptData) -> None:
        """Keep a piece; never blocks and never raises."""
        raw = data if isinstance(data, bytes) else _encoded(data)
        self._bytes += len(raw)
        self._count(kind, len(raw))
        if self._closed or not raw:
            return
        self._owner.put(self._source, kind, raw, whole=not isinstance(data, bytes))

    def lose(self, count: int) -> None:
        """Note that so many bytes never came this far; lines they belonged to are not kept."""
        self._bytes += max(0, count)
        self._count(Stream.ERRORS, max(0, count))
        if not self._closed:
            self._source.lost_bytes += max(0, count)

    def _count(self, kind: str, size: int) -> None:
        if kind in _STREAMS:
            self._owner.count(self._source.node_id, Stream(kind), size)

    def close(self) -> None:
        """Give back what it holds once all before is written; idempotent."""
        if not self._closed:
            self._closed = True
            if self._bytes > 0:
                self._owner.put(self._source, "", b"", whole=True)
            self._owner.closed(self._source.node_id)


def _encoded(data: str | dict[str, Any]) -> bytes:
    if isinstance(data, str):
        return data.encode(errors="backslashreplace")
    try:
        return msgspec.json.encode(data)
    except _CANNOT as error:
        return f"what JSON has no word for was not written: {type(error).__name__}".encode()
