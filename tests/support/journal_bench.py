"""Journals of one workspace, for tests that append, harm and read."""

import os
from collections.abc import Callable
from pathlib import Path

from subsessiond.adapters.journals import FileJournals
from subsessiond.model.ids import NodeId
from subsessiond.ports import JournalLine
from tests.support.ledger import child, line, root


class Bench:
    """Journals of one workspace, and a store's kept lines to fill them up from."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self.mother = root(1, str(workspace))
        self.child = child(2, self.mother)
        self.kept: tuple[JournalLine, ...] = ()
        self.told: list[str] = []
        self.syncs = 0
        self.sync_fault: OSError | None = None
        self.at_sync: Callable[[], object] = int
        """Done in the journals' thread, between a write and its sync."""
        self.journals = FileJournals(refill=self._refill, warn=self.told.append, sync=self._sync)

    @property
    def path(self) -> Path:
        """The child's journal."""
        return self.workspace / ".subsession/journals" / f"{self.child.node_id}.journal.jsonl"

    def lines(self, *numbers: int) -> tuple[JournalLine, ...]:
        """Make lines of the child."""
        return tuple(line(self.child, n) for n in numbers)

    async def add(self, *numbers: int) -> tuple[int, ...]:
        """Append lines of the child; gives the numbers that are safe."""
        return tuple(n for _, n in await self.journals.append(self.lines(*numbers)))

    async def read(self, first: int = 1, limit: int = 100) -> tuple[tuple[int, str], ...]:
        """Read number and kind of each line, `!` before what is damaged."""
        records = await self.journals.read(str(self.workspace), self.child.node_id, first, limit)
        return tuple((r.n, "!" + r.kind if r.damaged else r.kind) for r in records)

    async def _refill(self, node_id: NodeId) -> tuple[JournalLine, ...]:
        return tuple(kept for kept in self.kept if kept.node_id == node_id)

    def _sync(self, descriptor: int) -> None:
        self.syncs += 1
        self.at_sync()
        if self.sync_fault is not None:
            raise self.sync_fault
        os.fsync(descriptor)
