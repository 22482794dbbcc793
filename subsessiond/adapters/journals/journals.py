"""The journals' port: appending in one thread, reading in another, rebuilding from all there is."""

import asyncio
import os
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import groupby, islice

import aiofiles

from subsessiond.adapters.journals.file import Added, Journal, Known, Sync
from subsessiond.adapters.journals.folder import (
    ENDING,
    JournalFault,
    journals_folder,
    name_of,
    open_file,
)
from subsessiond.adapters.journals.line import decode
from subsessiond.adapters.journals.pieces import PIECE_BYTES, Pieces, records_of
from subsessiond.adapters.journals.rebuild import node_from
from subsessiond.model.ids import NodeId, is_node_id
from subsessiond.model.node import Node
from subsessiond.ports import JournalLine, JournalRecord

_PAGE_BYTES = 16 * 1024 * 1024
"""Lines read for one page: more than anybody is shown at once."""

_TOLD_MOST = 20
"""Warnings about one node's journal in one life of the daemon."""
_TOLD_OF = 4_096

_LINES_MOST = 1_000_000
"""Lines of one journal that a registry is rebuilt from."""

Refill = Callable[[NodeId], Awaitable[tuple[JournalLine, ...]]]


class FileJournals:
    """Journals in the workspaces of their nodes.

    Args:
        refill: Gives the lines of a node that the store still keeps; asked when a journal is
            shorter than it should be.
        warn: Told, once, what the operator should know of a journal.
        sync: How a file's content is made durable.
    """

    def __init__(
        self, *, refill: Refill, warn: Callable[[str], None], sync: Sync = os.fsync
    ) -> None:
        self._refill = refill
        self._warn = warn
        self._sync = sync
        self._known = Known()
        self._told: Counter[NodeId] = Counter()
        # Why two: a page is read while a slow disk takes its time with an append.
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="journals")
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="journal-pages")
        self._threads: tuple[ThreadPoolExecutor, ...] = (self._writer, self._reader)

    async def append(self, lines: tuple[JournalLine, ...]) -> tuple[tuple[NodeId, int], ...]:
        """Write lines and sync their files, once each; gives back those that are safe.

        Line `n` stands in line `n` of its file. Lines already there are not written twice. A line
        that cannot be written is left out, with a warning.
        """
        ordered = sorted(lines, key=lambda line: (line.workspace, line.node_id, line.n))
        safe: list[tuple[NodeId, int]] = []
        for (_, node_id), group in groupby(
            ordered, key=lambda line: (line.workspace, line.node_id)
        ):
            own = tuple(group)
            added = await self._append_node(node_id, own)
            wanted = {line.n for line in own}
            safe += ((node_id, n) for n in added.safe if n in wanted)
        return tuple(safe)

    async def read(
        self, workspace: str, node_id: NodeId, first: int, limit: int
    ) -> tuple[JournalRecord, ...]:
        """Read lines `first` and on; empty where there is no journal.

        A tail that has no newline yet is shown only when it is a whole record.
        """
        loop = asyncio.get_running_loop()
        opening = partial(_open_to_read, workspace, node_id)
        try:
            descriptor = await loop.run_in_executor(self._reader, opening)
        except FileNotFoundError:
            return ()
        except JournalFault as fault:
            self._warn(f"a journal in {workspace}: {fault}")
            return ()
        async with aiofiles.open(descriptor, "rb", executor=self._reader) as file:
            lines = _Lines(first, limit, _PAGE_BYTES)
            while not lines.full and (piece := await file.read(PIECE_BYTES)):
                lines.take(piece)
            return lines.records()

    async def rebuild(self, workspaces: tuple[str, ...]) -> tuple[Node, ...]:
        """Give every node that the journals of these workspaces remember, oldest first."""
        found: dict[NodeId, Node] = {}
        loop = asyncio.get_running_loop()
        for workspace in workspaces:
            job = partial(self._nodes_in, workspace)
            for node in await loop.run_in_executor(self._reader, job):
                found.setdefault(node.node_id, node)
        return tuple(found[name] for name in sorted(found))

    async def aclose(self) -> None:
        """End both threads after what they do now; idempotent."""
        threads, self._threads = self._threads, ()
        for thread in threads:
            await asyncio.get_running_loop().run_in_executor(thread, int)  # all before is done
            thread.shutdown(wait=True)

    async def _append_node(self, node_id: NodeId, lines: tuple[JournalLine, ...]) -> Added:
        added = await self._run(partial(self._add, lines, pad=False), lines[0])
        self._tell(added, lines[0])
        if added.short_of is not None:
            kept = {line.n: line for line in await self._refill(node_id)}
            kept.update({line.n: line for line in lines})
            full = tuple(kept[n] for n in sorted(kept))
            added = await self._run(partial(self._add, full, pad=True), lines[0])
            self._tell(added, lines[0])
        return added

    def _tell(self, added: Added, line: JournalLine) -> None:
        """Warn, but not for ever: whoever spoils a journal at each report would fill the log."""
        for note in added.notes:
            if len(self._told) >= _TOLD_OF:
                self._told.clear()
            self._told[line.node_id] += 1
            more = " (no more is told of it)" if self._told[line.node_id] == _TOLD_MOST else ""
            if self._told[line.node_id] <= _TOLD_MOST:
                self._warn(f"a journal in {line.workspace}: {note}{more}")

    async def _run(self, job: Callable[[], Added], line: JournalLine) -> Added:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._writer, job)
        except FileNotFoundError:
            return Added(notes=(f"{line.workspace} is gone; the store keeps the lines",))
        except JournalFault as fault:
            return Added(notes=(f"{fault}; the store keeps the lines",))

    def _add(self, lines: tuple[JournalLine, ...], *, pad: bool) -> Added:
        """Append to one file; in the writer's thread."""
        name = name_of(lines[0].node_id)
        with journals_folder(lines[0].workspace, make=True) as folder:
            journal = Journal(folder, name, self._sync, self._known)
            try:
                return journal.append(lines, pad=pad)
            finally:
                journal.close()

    def _nodes_in(self, workspace: str) -> tuple[Node, ...]:
        """Read all journals of one workspace; in the reader's thread."""
        try:
            with journals_folder(workspace, make=False) as folder:
                return tuple(self._nodes_of(workspace, folder))
        except FileNotFoundError:
            return ()
        except JournalFault as fault:
            self._warn(f"journals of {workspace}: {fault}")
            return ()

    def _nodes_of(self, workspace: str, folder: int) -> Iterator[Node]:
        for name in sorted(os.listdir(folder)):
            try:
                node = _node_of(folder, name)
            except (OSError, JournalFault) as fault:
                self._warn(f"a journal in {workspace} was passed over: {fault}")
                continue
            if node is None or name != node.node_id + ENDING or node.workspace != workspace:
                self._warn(f"a journal in {workspace} was passed over: {name[:60]!r} tells no node")
                continue
            yield node


def _node_of(folder: int, name: str) -> Node | None:
    if not name.endswith(ENDING) or not is_node_id(name.removesuffix(ENDING)):
        return None
    with open(open_file(folder, name, os.O_RDONLY), "rb") as file:
        return node_from(islice(records_of(file), _LINES_MOST))


def _open_to_read(workspace: str, node_id: NodeId) -> int:
    name = name_of(node_id)
    with journals_folder(workspace, make=False) as folder:
        return open_file(folder, name, os.O_RDONLY)


class _Lines:
    """Takes pieces of a file and keeps the lines of one page."""

    def __init__(self, first: int, limit: int, most_bytes: int) -> None:
        self._first = first
        self._limit = limit
        self._most_bytes = most_bytes
        self._bytes = 0
        self._pieces = Pieces()
        self._records: list[JournalRecord] = []

    @property
    def full(self) -> bool:
        """Whether the page has all it may hold."""
        return self._bytes >= self._most_bytes or len(self._records) >= self._limit

    def take(self, piece: bytes) -> None:
        """Take the next bytes of the file."""
        for n, line in self._pieces.take(piece):
            if n >= self._first and not self.full:
                self._records.append(decode(line, n))
                self._bytes += len(line)

    def records(self) -> tuple[JournalRecord, ...]:
        """Give the page; a tail without newline is part of it only when it is a whole record."""
        tail = self._pieces.tail()
        if tail is not None and tail.n >= self._first and not self.full:
            return (*self._records, tail)
        return tuple(self._records)
