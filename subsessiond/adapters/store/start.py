"""What a start finds in the state directory, and how a usable store comes out of it."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from enum import Enum

from subsessiond.adapters.store import backup, schema, workspaces
from subsessiond.adapters.store.absorb import absorb
from subsessiond.adapters.store.faults import is_broken, store_fault
from subsessiond.adapters.store.files import (
    Places,
    head_of,
    make_empty,
    read_left,
    remove_file,
    set_aside,
    sync_directory,
)
from subsessiond.adapters.store.opened import OpenStore, connect
from subsessiond.adapters.store.reader import last_seq, read_uuid, read_workspaces
from subsessiond.model.node import Node
from subsessiond.ports import StoreFault

_MAGIC = b"SQLite format 3\x00"
_HEAD_BYTES = 100
_VERSION_AT, _APPLICATION_AT = 60, 68


class Finding(Enum):
    """What is to be done before the store can be read."""

    READY = "it is ours and as it was left"
    COMPARE = "it may lack what the journals know"
    REBUILD = "it cannot be used"


class Start:
    """One start: it examines, then mends what the examination found."""

    def __init__(self, places: Places, guard: Callable[[], None]) -> None:
        self._places = places
        self._guard = guard
        self.store: OpenStore | None = None
        self.warnings: list[str] = []

    def examine(self) -> Finding:
        """Open the store, or find out why it cannot be used.

        Raises:
            StoreFault: it may not be read, is newer, or is open elsewhere; nothing was changed.
        """
        self._guard()
        head = head_of(self._places.store, _HEAD_BYTES)
        if head is None:
            return self._missing()
        if (fault := _fault_of(head)) is not None:
            return self._unusable(fault)
        try:
            return self._open()
        except sqlite3.Error as raised:
            if is_broken(raised):
                return self._unusable(str(raised))
            raise store_fault(f"opening {self._places.store}", raised) from raised

    def unusable(self, why: str) -> None:
        """Give up a store that opened well and then could not be read."""
        self._unusable(why)

    def close(self) -> None:
        """Close what was opened; idempotent."""
        if self.store is not None:
            self.store.close()
            self.store = None

    def workspaces(self) -> tuple[str, ...]:
        """Name every workspace whose journals may know more than the store: from all there is."""
        names = set(workspaces.known(self._places))
        if self.store is not None:
            names.update(read_workspaces(self.store.db))
        elif (base := backup.newest_good(self._places)[0]) is not None:
            with closing(sqlite3.connect(f"{base.as_uri()}?mode=ro&immutable=1", uri=True)) as db:
                names.update(read_workspaces(db))
        return tuple(sorted(names))

    def mend(self, finding: Finding, nodes: tuple[Node, ...]) -> None:
        """Bring in what the journals know, into a new store where the old one cannot be used."""
        if finding is Finding.REBUILD:
            self.warnings.extend(recover_store(self._places, nodes))
            self.store = OpenStore.open(self._places, self._guard)
        elif self.store is not None:
            left = read_left(self._places)
            with self.store.transaction("comparing with the journals") as db:
                self.warnings.append(absorb(db, nodes, left.seq if left else 0))

    def _missing(self) -> Finding:
        if self._places.workspaces.exists() or backup.backups_of(self._places):
            self.warnings.append(f"{self._places.store} is missing; it is rebuilt")
            return Finding.REBUILD
        _build(self._places, ())
        _put_in_place(self._places)
        self.store = OpenStore.open(self._places, self._guard)
        return Finding.READY

    def _unusable(self, why: str) -> Finding:
        self.close()
        self.warnings.append(f"{self._places.store} cannot be used ({why}); it is rebuilt")
        return Finding.REBUILD

    def _open(self) -> Finding:
        self.store = store = OpenStore.open(self._places, self._guard)
        store.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if (fault := _shape_fault(self._places, store.db)) is not None:
            return self._unusable(fault)
        is_suspect = self._places.renew.exists()
        if is_suspect and (fault := self._renew(store)) is not None:
            return self._unusable(fault)
        store = self.store
        if schema.version_of(store.db) < len(schema.MIGRATIONS):
            backup.take_backup(store.db, self._places, lambda: None)
            schema.migrate(store.db)
        # Why anew: migrating wrote, and what it wrote is ours.
        self.store = OpenStore(self._places, store.db, self._guard)
        return Finding.COMPARE if is_suspect or self._is_foreign(store.db) else Finding.READY

    def _renew(self, store: OpenStore) -> str | None:
        """Copy a suspect store into a fresh file; gives back why it cannot be used instead."""
        said = store.db.execute("PRAGMA quick_check(1)").fetchone()[0]
        if said != "ok":
            return str(said)
        why = self._places.renew.read_text(encoding="utf-8", errors="replace")
        backup.copy_store(store.db, self._places.fresh, lambda: None)
        store.close()
        aside = _put_in_place(self._places)
        self.warnings.append(f"the store was copied into a fresh file ({why}); old one: {aside}")
        remove_file(self._places.renew)
        self.store = OpenStore.open(self._places, self._guard)
        return None

    def _is_foreign(self, db: sqlite3.Connection) -> bool:
        left = read_left(self._places)
        if left is None:
            return False
        found = os.stat(self._places.store)
        here = (read_uuid(db), found.st_dev, found.st_ino)
        if here == (left.uuid, left.device, left.inode) and last_seq(db) >= left.seq:
            return False
        self.warnings.append(
            f"{self._places.store} is not the file that was left here: it was restored or moved"
        )
        return True


def recover_store(places: Places, nodes: tuple[Node, ...]) -> tuple[str, ...]:
    """Build a store from the newest good backup and what journals remember; the old is set aside.

    A crash anywhere in it leaves a state from which the next start does it again.

    Args:
        places: The state directory; no connection to its store is open.
        nodes: What the journals of all known workspaces tell.

    Returns:
        What was done, for the operator.
    """
    warnings = _build(places, nodes)
    if (aside := _put_in_place(places)) is not None:
        warnings = (*warnings, f"the store that could not be used is kept as {aside}")
    remove_file(places.renew)
    return warnings


def _build(places: Places, nodes: tuple[Node, ...]) -> tuple[str, ...]:
    """Make a whole, synced store beside the one in use."""
    base, warnings = backup.newest_good(places)
    make_empty(places.fresh)
    for side in places.side_files(places.fresh):
        remove_file(side)
    if base is not None:
        shutil.copyfile(base, places.fresh)
        warnings = (*warnings, f"{base} is what the store is rebuilt from")
    left = read_left(places)
    with closing(connect(places.fresh)) as db:
        schema.migrate(db)
        listed = workspaces.mend(places, db)
        if base is not None or nodes or left is not None:
            db.execute("BEGIN IMMEDIATE")
            warnings = (*warnings, absorb(db, nodes, left.seq if left else 0))
            db.execute("COMMIT")
    return (*warnings, *listed)


def _put_in_place(places: Places) -> "os.PathLike[str] | None":
    aside = set_aside(places)
    os.replace(places.fresh, places.store)
    sync_directory(places.directory)
    return aside


def _fault_of(head: bytes) -> str | None:
    """Say from its first bytes why a store cannot be used.

    Raises:
        StoreFault: it is newer than this program.
    """
    if not head.strip(b"\x00"):
        return "it is blank"
    if len(head) < _HEAD_BYTES or not head.startswith(_MAGIC):
        return "it is no store"
    if int.from_bytes(head[_APPLICATION_AT : _APPLICATION_AT + 4]) != schema.APPLICATION_ID:
        return "it is another program's"
    version = int.from_bytes(head[_VERSION_AT : _VERSION_AT + 4])
    if version > len(schema.MIGRATIONS):
        message = f"the store has version {version}, this program knows {len(schema.MIGRATIONS)}"
        raise StoreFault(f"{message}: it was written by a newer one; nothing was changed")
    return None


def _shape_fault(places: Places, db: sqlite3.Connection) -> str | None:
    pages = db.execute("PRAGMA page_count").fetchone()[0]
    size = db.execute("PRAGMA page_size").fetchone()[0]
    if os.stat(places.store).st_size < pages * size:
        return "it is cut short"
    return None if schema.version_of(db) else "it is empty"
