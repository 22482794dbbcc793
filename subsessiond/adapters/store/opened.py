"""The open store as its one thread sees it: transactions, and proof that it is the same file."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from subsessiond.adapters.store.faults import is_sync_error, store_fault
from subsessiond.adapters.store.files import Places, write_plainly
from subsessiond.ports import StoreFault

_CHECKPOINT_BYTES = 4 * 1024 * 1024
"""SQLite's own measure (1,000 pages): the log stays small, and few commits wait for its copying."""
_PAGE_BYTES = 4096
_PAGES_AN_EVENT = 3  # what an event writes beside its bodies when it comes alone
_COPIES = 3  # a report stands in its event, its message and its journal line
_SHARES = (0.25, 4.0)  # of that guess: events that come together write their pages once

_FULLY = ("fullfsync = ON", "checkpoint_fullfsync = ON")  # macOS; nothing elsewhere

_Print = tuple[int, int, int, int] | None


def connect(path: Path) -> sqlite3.Connection:
    """Open a store for this process alone.

    Raises:
        sqlite3.Error: it cannot be opened, or is not a store.
        StoreFault: another process has it open, or its file system cannot carry it.
    """
    db = sqlite3.connect(path, isolation_level=None, timeout=0, cached_statements=64)
    try:
        # Why exclusive: nobody else may write, and then no memory is shared through a third file.
        db.execute("PRAGMA locking_mode = EXCLUSIVE")
        mode = db.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        if mode != "wal":
            raise StoreFault(f"opening {path}: its file system cannot carry a write-ahead log")
        for pragma in ("synchronous = FULL", "wal_autocheckpoint = 0", *_FULLY):
            db.execute(f"PRAGMA {pragma}")
        db.execute("BEGIN IMMEDIATE")
        db.execute("COMMIT")
    except sqlite3.OperationalError as fault:
        db.close()
        if fault.sqlite_errorcode == sqlite3.SQLITE_BUSY:
            raise StoreFault(f"opening {path}: another process has it open") from fault
        raise
    except BaseException:
        db.close()
        raise
    return db


class OpenStore:
    """One connection, the files it has, and whether they can still be trusted."""

    def __init__(self, places: Places, db: sqlite3.Connection, guard: Callable[[], None]) -> None:
        self.db = db
        self._places = places
        self._guard = guard
        self._lost = ""
        self._guessed_bytes = 0
        self._share = 1.0
        self._files = (places.store, *places.side_files(places.store)[:1])
        self._prints = self._take_prints()

    @classmethod
    def open(cls, places: Places, guard: Callable[[], None]) -> Self:
        """Open the store of a state directory; raises like `connect`."""
        return cls(places, connect(places.store), guard)

    def check(self) -> None:
        """Make sure that what is written now will be found by the next start.

        Raises:
            StoreFault: fatal; the lock or a file was replaced, removed or written by another, or
                an earlier fault was fatal.
        """
        if self._lost:
            raise StoreFault(self._lost, fatal=True)
        self._guard()
        if self._prints != self._take_prints():
            self.condemn(f"{self._places.store} was replaced or written by somebody else")
            raise StoreFault(self._lost, fatal=True)

    @contextmanager
    def transaction(self, doing: str, *, durable: bool = True) -> Iterator[sqlite3.Connection]:
        """Do everything inside, or nothing.

        Args:
            doing: What is done, for the fault's sentence.
            durable: Whether the end waits for the disk; without, a power cut may undo it.

        Raises:
            StoreFault: nothing of it is true.
        """
        self.check()
        try:
            if not durable:
                self.db.execute("PRAGMA synchronous = NORMAL")
            self.db.execute("BEGIN IMMEDIATE")
            yield self.db
            self.db.execute("COMMIT")
        except sqlite3.Error as fault:
            raise self._undone(doing, fault) from fault
        finally:
            self._finish(durable=durable)

    def reading(self, doing: str, fault: sqlite3.Error) -> StoreFault:
        """Say what could not be read; a store that contradicts itself is condemned."""
        said = store_fault(doing, fault)
        if said.fatal:
            self.condemn(str(said))
        return said

    def condemn(self, why: str) -> None:
        """Use this store no more, and have the next start look closely and copy it."""
        if self._lost:
            return
        self._lost = why
        try:
            write_plainly(self._places.renew, why.encode())
        except OSError as fault:
            self._lost = f"{why}; nor could a note be left for the next start ({fault.strerror})"

    def grew(self, body_bytes: int, events: int) -> bool:
        """Count what a commit wrote; tells whether the log should be copied into the store.

        What is written beside the bodies is guessed, and the guess is held against each copied log.
        """
        self._guessed_bytes += _COPIES * body_bytes + events * _PAGES_AN_EVENT * _PAGE_BYTES
        return self._guessed_bytes * self._share > _CHECKPOINT_BYTES

    def checkpoint(self) -> str | None:
        """Copy the log into the store; gives back what went wrong."""
        if self._lost:
            return None
        guessed, self._guessed_bytes = self._guessed_bytes, 0
        said = None
        try:
            _, pages, _ = self.db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            least, most = _SHARES
            self._share = min(most, max(least, pages * _PAGE_BYTES / max(1, guessed)))
        except sqlite3.Error as fault:
            said = str(store_fault("copying the log into the store", fault))
            if is_sync_error(fault):
                self.condemn(said)
        self._prints = self._take_prints()
        return said

    def close(self) -> None:
        """Close the connection; the log is copied and goes."""
        self.db.close()

    def _undone(self, doing: str, fault: sqlite3.Error) -> StoreFault:
        """Roll back and say so; a disk that did not confirm makes the store lost."""
        said = store_fault(doing, fault)
        try:
            if self.db.in_transaction:
                self.db.execute("ROLLBACK")
            if is_sync_error(fault):
                self._bury()
        except sqlite3.Error as second:
            said = StoreFault(f"{said}; and undoing it: {second}", fatal=True)
        if said.fatal:
            self.condemn(str(said))
        return said

    def _bury(self) -> None:
        """Overwrite the frames of a commit that was written and never confirmed.

        Without this a process killed now would leave them whole in the log, and the next start
        would find true what every caller was told is not.
        """
        self.db.execute("PRAGMA synchronous = OFF")
        self.db.execute("INSERT OR REPLACE INTO meta VALUES ('buried', hex(randomblob(8)))")

    def _finish(self, *, durable: bool) -> None:
        if self.db.in_transaction:  # something else than SQLite raised inside
            self.db.execute("ROLLBACK")
        if not durable and not self._lost:
            self.db.execute("PRAGMA synchronous = FULL")
        if not self._lost:
            self._prints = self._take_prints()

    def _take_prints(self) -> tuple[_Print, ...]:
        return tuple(_print_of(path) for path in self._files)


def _print_of(path: Path) -> _Print:
    try:
        found = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
