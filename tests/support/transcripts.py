"""Transcripts in memory, for runners whose tests look at what they wrote down."""

from subsessiond.model.ids import NodeId
from subsessiond.ports import TranscriptData, TranscriptEntry, TranscriptPage


class ListedTranscript:
    """One transcript: everything that was written to it, as it was."""

    def __init__(self) -> None:
        self.written: list[tuple[str, TranscriptData]] = []
        self.closed = False
        self.lost = 0
        self._bytes = 0

    @property
    def total_bytes(self) -> int:
        """All that was ever written."""
        return self._bytes

    def write(self, kind: str, data: TranscriptData) -> None:
        """Keep a piece."""
        self.written.append((kind, data))
        self._bytes += len(_bytes(data))

    def lose(self, count: int) -> None:
        """Count what was lost."""
        self.lost += count
        self._bytes += count

    def close(self) -> None:
        """Note that nothing more comes."""
        self.closed = True

    def joined(self, kind: str) -> bytes:
        """Give all bytes and texts of one kind, joined."""
        return b"".join(_bytes(data) for k, data in self.written if k == kind)


class ListedTranscripts:
    """Transcripts by node."""

    def __init__(self) -> None:
        self.of: dict[NodeId, ListedTranscript] = {}

    def open(self, node_id: NodeId) -> ListedTranscript:
        """Go on with a transcript, or begin it."""
        return self.of.setdefault(node_id, ListedTranscript())

    async def read(
        self, node_id: NodeId, after: int | None, limit_bytes: int, before_bytes: int = 0
    ) -> TranscriptPage:
        """Give every piece that comes later, whatever its size; all there is with those before."""
        del limit_bytes
        after = 0 if before_bytes else after
        written = self.of[node_id].written if node_id in self.of else []
        entries = tuple(
            TranscriptEntry(n=n, at_ms=0, kind=kind, text=_bytes(data).decode())
            for n, (kind, data) in enumerate(written, start=1)
            if n > (after or 0)
        )
        return TranscriptPage(entries=entries, upto=len(written))


def _bytes(data: TranscriptData) -> bytes:
    return data if isinstance(data, bytes) else str(data).encode()
