"""SQLite's errors in a person's words, and which of them mean that the store is lost."""

import sqlite3

from subsessiond.ports import StoreFault

_SYNC_ERRORS = frozenset((sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_DIR_FSYNC))
# Why: these say that another try meets the same world a little later, or one with more room.
_PASSING = frozenset(
    (
        *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_BUSY),
        *(sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_INTERRUPT),
        *(sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM),
    ),
)
_PRIMARY = 0xFF


def code_of(fault: sqlite3.Error) -> int:
    """Read the extended error code; 0 when the error is not SQLite's own."""
    return getattr(fault, "sqlite_errorcode", 0) or 0


def is_sync_error(fault: sqlite3.Error) -> bool:
    """Tell whether the disk did not confirm what was written: nothing on it can be relied on."""
    return code_of(fault) in _SYNC_ERRORS


def is_full(fault: sqlite3.Error) -> bool:
    """Tell whether there was no room. A quota that is used up shows as a failed write."""
    is_write = code_of(fault) == sqlite3.SQLITE_IOERR_WRITE
    return is_write or code_of(fault) & _PRIMARY == sqlite3.SQLITE_FULL


def is_broken(fault: sqlite3.Error) -> bool:
    """Tell whether the store itself contradicts itself or is no store."""
    return code_of(fault) & _PRIMARY in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def store_fault(doing: str, fault: sqlite3.Error) -> StoreFault:
    """Say what the store could not do; fatal unless the same can succeed later."""
    passing = code_of(fault) & _PRIMARY in _PASSING and not is_sync_error(fault)
    name = getattr(fault, "sqlite_errorname", "") or type(fault).__name__
    return StoreFault(f"{doing}: {fault} ({name})", fatal=not passing)
