"""The registry's store: what the port asks, done in the store's own thread."""

import sqlite3
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec

from subsessiond.adapters.store import accounts, backup, reader, workspaces
from subsessiond.adapters.store.acceptances import StoredAcceptances
from subsessiond.adapters.store.agents import read_agents
from subsessiond.adapters.store.faults import is_broken, is_full, store_fault
from subsessiond.adapters.store.files import Places
from subsessiond.adapters.store.lane import Lane
from subsessiond.adapters.store.leaving import leave
from subsessiond.adapters.store.opened import OpenStore
from subsessiond.adapters.store.room import BALLAST_BYTES, LOW_WATER_BYTES, Room, is_ending
from subsessiond.adapters.store.start import Finding, Start
from subsessiond.adapters.store.touched import touched
from subsessiond.adapters.store.writer import mark_synced, write_batch
from subsessiond.model.events import AnyEvent, NodeAdmitted, RootOpened
from subsessiond.model.ids import MessageId, NodeId
from subsessiond.model.ledger import Account, Life
from subsessiond.model.message import MessageState
from subsessiond.model.node import Node
from subsessiond.model.tree import Tree
from subsessiond.ports import Batch, JournalLine, Loaded, StoreFault

T = TypeVar("T")
JournalNodes = Callable[[tuple[str, ...]], Awaitable[tuple[Node, ...]]]


class _Closing(Exception):
    """The store is being closed while a backup runs."""


class SqliteStore:
    """The store of one state directory, whose lock somebody holds.

    Args:
        directory: The state directory.
        guard: Raises StoreFault (fatal) when the lock of the directory is not held any more;
            called in the store's thread before each commit.
        journal_nodes: Gives the nodes that the journals of these workspaces remember; called only
            when the store is broken, missing, restored or suspect.
        warn: Told, in the store's thread, what the operator should know and nobody waits for.
        low_water_bytes: Below this much free space `room` is false.
        ballast_bytes: How much is kept so that finals fit on a full disk.
    """

    def __init__(
        self,
        directory: Path,
        *,
        guard: Callable[[], None],
        journal_nodes: JournalNodes,
        warn: Callable[[str], None],
        low_water_bytes: int = LOW_WATER_BYTES,
        ballast_bytes: int = BALLAST_BYTES,
    ) -> None:
        self._places = Places(directory)
        self._guard = guard
        self._journal_nodes = journal_nodes
        self._warn = warn
        self._room = Room(self._places.ballast, low_water_bytes, ballast_bytes)
        self._lane = Lane("store")
        self._start = Start(self._places, guard)
        self._store: OpenStore | None = None
        self.roles = StoredAcceptances(self._lane, self._opened)
        self._last = Tree()
        self._workspaces: frozenset[str] = frozenset()
        self.backup_due = False
        """Whether the newest backup was more than a day old when the store was loaded."""
        self._closed = False

    async def load(self, fold: Callable[[Tree, Node], Tree]) -> Loaded:
        """Give back the last committed tree of everything open, mending the store first.

        Raises:
            StoreFault: it may not be read, is newer than this program, or is open elsewhere.
        """
        start, doing = self._start, f"opening {self._places.store}"
        finding = await self._run(doing, start.examine)
        for _ in range(2):
            if finding is not Finding.READY:
                names = await self._run(doing, start.workspaces)
                nodes = await self._journal_nodes(names)
                await self._run(doing, partial(start.mend, finding, nodes))
            loaded = await self._run(doing, partial(self._read, fold))
            if loaded is not None:
                return loaded
            finding = Finding.REBUILD
        raise StoreFault(f"{self._places.store} was rebuilt and still cannot be read")

    async def commit(self, batch: Batch) -> None:
        """Make a batch durable, all or nothing.

        Raises:
            StoreFault: nothing of it is true; unless it is fatal, the batch may be tried again.
            ValueError: the events do not follow the last commit without a gap.
        """
        await self._lane.run(partial(self._commit, batch))

    async def events_after(self, seq: int, limit: int) -> tuple[AnyEvent, ...]:
        """Read events with a greater number, oldest first, at most `limit`."""
        return await self._reading("reading events", lambda db: reader.read_events(db, seq, limit))

    async def moved(
        self, mailboxes: tuple[NodeId, ...], message_id: MessageId
    ) -> MessageState | None:
        """Tell to which state a message was moved last in one of these mailboxes."""
        read = partial(reader.read_move, mailboxes=mailboxes, message_id=message_id)
        return await self._reading("reading a receipt", read)

    async def node(self, node_id: NodeId) -> Node | None:
        """Read a node that is not kept in memory any more."""
        return await self._reading("reading a node", lambda db: reader.read_node(db, node_id))

    async def tree_of(self, root: NodeId) -> tuple[Node, ...]:
        """Read a root and all below it, parents before their children."""
        return await self._reading("reading a tree", lambda db: reader.read_root(db, root))

    async def begin_counting(self, at_ms: int) -> tuple[Life, ...]:
        """Note that counting begins; gives the lives that ended without their last counts."""
        return await self._lane.run(lambda: accounts.begin_counting(self._opened(), at_ms))

    async def accounts(self, ids: tuple[NodeId, ...]) -> tuple[Account, ...]:
        """Read the counts of those nodes that have any."""
        read = partial(accounts.read_accounts, ids=ids)
        return await self._reading("reading counts", read)

    async def keep_accounts(self, counts: tuple[Account, ...], *, last: bool = False) -> None:
        """Keep counts; does not wait for the disk."""
        await self._lane.run(partial(self._keep_accounts, counts, last=last))

    async def unsynced_lines(self) -> tuple[JournalLine, ...]:
        """Read the journal lines that may not stand in their files yet."""
        return await self._reading("reading journal lines", reader.read_unsynced)

    async def kept_lines(self, node_id: NodeId) -> tuple[JournalLine, ...]:
        """Read the journal lines of one node that are still kept."""
        return await self._reading("reading lines", lambda db: reader.read_kept(db, node_id))

    async def lines_synced(self, lines: tuple[tuple[NodeId, int], ...]) -> None:
        """Note that these journal lines are safe in their files.

        Does not wait for the disk: forgotten by a power cut, they are only looked at again.
        """
        await self._lane.run(partial(self._mark_synced, lines))

    def room(self) -> bool:
        """Tell whether the disk has room for more than what is under way already."""
        return self._room.is_enough()

    async def backup(self) -> None:
        """Take a backup now; commits go on beside it.

        Raises:
            StoreFault: no backup could be taken; the store itself is not concerned.
        """
        await self._lane.run(self._backup)

    async def aclose(self) -> None:
        """Close; idempotent."""
        if not self._closed:
            self._closed = True
            await self._lane.run(self._close)
            self._lane.end()

    async def _run(self, doing: str, job: Callable[[], T]) -> T:
        try:
            return await self._lane.run(job)
        except sqlite3.Error as fault:
            raise store_fault(doing, fault) from fault
        except OSError as fault:
            raise StoreFault(f"{doing}: {fault.strerror} ({fault.filename})") from fault

    async def _reading(self, doing: str, read: Callable[[sqlite3.Connection], T]) -> T:
        return await self._lane.run(partial(self._read_rows, doing, read))

    # Everything below runs in the store's thread.

    def _opened(self) -> OpenStore:
        if self._store is None:
            raise StoreFault("the store is not open", fatal=True)
        return self._store

    def _read(self, fold: Callable[[Tree, Node], Tree]) -> Loaded | None:
        """Read the tree; none when the store turns out to be broken after all."""
        start = self._start
        assert start.store is not None
        db = start.store.db
        try:
            tree, warnings = reader.read_tree(db, fold)
            listed, agents = workspaces.mend(self._places, db), read_agents(db)
        except sqlite3.Error as fault:
            if not is_broken(fault):
                raise
            start.unusable(str(fault))
            return None
        told = (*start.warnings, *warnings, *listed, *leave(self._places, db))
        self._store = OpenStore(self._places, db, self._guard)
        self._last = tree
        self._workspaces = frozenset(workspaces.known(self._places))
        self._room.lay_ballast()
        self.backup_due = bool(tree.seq) and backup.is_due(self._places)
        return Loaded(tree=tree, warnings=told, agents=agents)

    def _commit(self, batch: Batch) -> None:
        store = self._opened()
        self._check_numbers(batch)
        self._note_workspaces(store, batch.events)
        try:
            written = self._write(store, batch)
        except StoreFault as fault:
            cause = fault.__cause__
            is_room = isinstance(cause, sqlite3.Error) and is_full(cause)
            if not (is_room and is_ending(batch.events) and self._room.free_ballast()):
                raise
            self._warn("the disk is full; the ballast was given up for a final")
            written = self._write(store, batch)
        self._last = batch.tree
        if store.grew(written, len(batch.events)):
            self._lane.later(self._checkpoint)

    def _write(self, store: OpenStore, batch: Batch) -> int:
        changes = touched(self._last, batch.tree, batch.events)
        with store.transaction("committing to the registry") as db:
            return write_batch(db, batch, changes)

    def _check_numbers(self, batch: Batch) -> None:
        expected = range(self._last.seq + 1, self._last.seq + 1 + len(batch.events))
        if tuple(event.seq for event in batch.events) != tuple(expected):
            raise ValueError(f"the events of a batch do not follow {self._last.seq} without a gap")

    def _note_workspaces(self, store: OpenStore, events: tuple[AnyEvent, ...]) -> None:
        """List new workspaces before the nodes in them are true."""
        named = {e.record.workspace for e in events if isinstance(e, RootOpened | NodeAdmitted)}
        if named <= self._workspaces:
            return
        store.check()
        try:
            workspaces.write(self._places, self._workspaces | named)
        except OSError as fault:
            raise StoreFault(f"listing a workspace: {fault.strerror}") from fault
        self._workspaces |= named

    def _read_rows(self, doing: str, read: Callable[[sqlite3.Connection], T]) -> T:
        store = self._opened()
        try:
            return read(store.db)
        except sqlite3.Error as fault:
            raise store.reading(doing, fault) from fault
        except (ValueError, msgspec.MsgspecError) as fault:
            raise StoreFault(f"{doing}: a record cannot be read ({fault})") from fault

    def _mark_synced(self, lines: tuple[tuple[NodeId, int], ...]) -> None:
        with self._opened().transaction("marking journal lines", durable=False) as db:
            mark_synced(db, lines)

    def _keep_accounts(self, counts: tuple[Account, ...], *, last: bool) -> None:
        if accounts.keep_accounts(self._opened(), counts, last=last):
            self._lane.later(self._checkpoint)

    def _checkpoint(self) -> None:
        if self._store is not None and (said := self._store.checkpoint()) is not None:
            self._warn(said)

    def _backup(self) -> None:
        store = self._opened()
        try:
            backup.take_backup(store.db, self._places, self._between)
        except sqlite3.Error as fault:
            raise StoreFault(f"taking a backup: {fault}") from fault
        except OSError as fault:
            raise StoreFault(f"taking a backup: {fault.strerror}") from fault
        except _Closing:
            raise StoreFault("taking a backup: the store is being closed") from None
        self._room.lay_ballast()

    def _between(self) -> None:
        if self._closed:
            raise _Closing
        self._lane.drain()

    def _close(self) -> None:
        store, self._store = self._store, None
        if store is None:
            self._start.close()
            return
        try:
            store.check()
            for warning in leave(self._places, store.db):
                self._warn(warning)
        except (StoreFault, sqlite3.Error, OSError) as fault:
            self._warn(f"closing the store: {fault}")
        finally:
            store.close()
