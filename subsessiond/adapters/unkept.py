"""Transcripts that are counted and not kept."""

from subsessiond.model.ids import NodeId
from subsessiond.ports import TranscriptData, TranscriptPage
from subsessiond.wire.canonical import compact_bytes


class UnkeptTranscript:
    """One child's transcript, of which only the size is known."""

    def __init__(self) -> None:
        self._bytes = 0

    @property
    def total_bytes(self) -> int:
        """All that was ever written to it."""
        return self._bytes

    def write(self, kind: str, data: TranscriptData) -> None:
        """Count a piece."""
        del kind
        whole = data if isinstance(data, bytes) else _bytes(data)
        self._bytes += len(whole)

    def close(self) -> None:
        """Nothing is held."""


class UnkeptTranscripts:
    """Transcripts of children that nobody may read."""

    def open(self, node_id: NodeId) -> UnkeptTranscript:
        """Begin to count."""
        del node_id
        return UnkeptTranscript()

    async def read(self, node_id: NodeId, after: int | None, limit_bytes: int) -> TranscriptPage:
        """Give nothing."""
        del node_id, limit_bytes
        return TranscriptPage(entries=(), upto=after or 0)


def _bytes(data: TranscriptData) -> bytes:
    return data.encode() if isinstance(data, str) else compact_bytes(data)
