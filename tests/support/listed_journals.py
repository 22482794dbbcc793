"""Journals in memory, for a desk that writes none to a disk."""

from subsessiond.model.ids import NodeId
from subsessiond.ports import JournalLine, JournalRecord


class ListedJournals:
    """Journals that hold what a test puts there."""

    def __init__(self) -> None:
        self.records: dict[NodeId, list[JournalRecord]] = {}

    async def append(self, lines: tuple[JournalLine, ...]) -> tuple[tuple[NodeId, int], ...]:
        """Keep lines."""
        for line in lines:
            record = JournalRecord(n=line.n, at_ms=line.at_ms, kind=line.kind, body=line.body)
            self.records.setdefault(line.node_id, []).append(record)
        return tuple((line.node_id, line.n) for line in lines)

    async def read(
        self, workspace: str, node_id: NodeId, first: int, limit: int
    ) -> tuple[JournalRecord, ...]:
        """Give lines back."""
        found = (record for record in self.records.get(node_id, []) if record.n >= first)
        return tuple(found)[:limit]
