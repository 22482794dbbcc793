"""What a daemon writes down about its store, so that the next start notices another one."""

import os
import sqlite3

import msgspec

from subsessiond.adapters.store import reader
from subsessiond.adapters.store.files import Left, Places, replace_file


def leave(places: Places, db: sqlite3.Connection) -> tuple[str, ...]:
    """Write down what stands here; gives warnings.

    A full disk does not keep the daemon from starting: its finals have their ballast.
    """
    found = os.stat(places.store)
    left = Left(
        uuid=reader.read_uuid(db),
        device=found.st_dev,
        inode=found.st_ino,
        seq=reader.last_seq(db),
    )
    try:
        replace_file(places.left, msgspec.json.encode(left))
    except OSError as fault:
        return (f"writing {places.left}: {fault.strerror}",)
    return ()
