"""Copies of the store, made by SQLite's own means while commits go on."""

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from subsessiond.adapters.store import schema
from subsessiond.adapters.store.files import (
    Places,
    make_empty,
    remove_file,
    sync_directory,
    sync_file,
)

KEPT = 3
DAY_S = 24 * 3_600
_STEP_PAGES = 256
"""1 MiB: what a waiting commit has to wait for, a millisecond or two."""


def copy_store(db: sqlite3.Connection, target: Path, between: Callable[[], None]) -> None:
    """Copy an open store into a fresh, synced file; `between` is called after each piece.

    Commits on the same connection between two pieces reach the copy too. What `between` raises
    ends the copying. The target is not there unless the copy is whole.
    """
    fresh = target.with_name(target.name + ".new")
    make_empty(fresh)
    try:
        with closing(sqlite3.connect(fresh, isolation_level=None)) as copy:
            # Why: the file is nobody's until it is synced and renamed, so its own journal is waste.
            copy.execute("PRAGMA journal_mode = OFF")
            copy.execute("PRAGMA synchronous = OFF")
            db.backup(copy, pages=_STEP_PAGES, progress=lambda *_: between(), sleep=0)
        sync_file(fresh)
        os.replace(fresh, target)
        sync_directory(target.parent)
    except BaseException:
        remove_file(fresh)
        raise


def take_backup(db: sqlite3.Connection, places: Places, between: Callable[[], None]) -> Path:
    """Take a backup and drop the oldest beyond three."""
    places.backups.mkdir(mode=0o700, exist_ok=True)
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
    target = places.backups / f"registry-{stamp}.{time.time_ns() % 1_000_000_000:09}.sqlite"
    copy_store(db, target, between)
    for old in backups_of(places)[KEPT:]:
        remove_file(old)
    return target


def backups_of(places: Places) -> tuple[Path, ...]:
    """List backups, newest first."""
    return tuple(sorted(places.backups.glob("registry-*.sqlite"), reverse=True))


def is_due(places: Places) -> bool:
    """Tell whether the newest backup is older than a day."""
    newest = next(iter(backups_of(places)), None)
    return newest is None or time.time() - newest.stat().st_mtime > DAY_S


def newest_good(places: Places) -> tuple[Path | None, tuple[str, ...]]:
    """Find the newest backup that is whole, and say which are not."""
    warnings: list[str] = []
    for path in backups_of(places):
        if (fault := _fault_of(path)) is None:
            return path, tuple(warnings)
        warnings.append(f"the backup {path} cannot be used: {fault}")
    return None, tuple(warnings)


def _fault_of(path: Path) -> str | None:
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as db:
            if db.execute("PRAGMA application_id").fetchone()[0] != schema.APPLICATION_ID:
                return "it is not one of ours"
            if schema.version_of(db) > len(schema.MIGRATIONS):
                return "it is newer than this program"
            said = db.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.Error as fault:
        return str(fault)
    return None if said == "ok" else str(said)
