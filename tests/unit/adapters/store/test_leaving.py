"""`adapters.store.leaving`."""

import sqlite3
from contextlib import closing
from pathlib import Path

from subsessiond.adapters.store import schema
from subsessiond.adapters.store.files import Places, read_left
from subsessiond.adapters.store.leaving import leave


def test_what_is_left_names_the_file_that_stands_here(tmp_path: Path) -> None:
    """Its own name, its place on the disk and its last number."""
    places = Places(tmp_path)
    with closing(sqlite3.connect(places.store, isolation_level=None)) as db:
        schema.migrate(db)
        assert leave(places, db) == ()
    left = read_left(places)
    assert left is not None
    found = places.store.stat()
    assert (left.device, left.inode, left.seq) == (found.st_dev, found.st_ino, 0)


def test_a_note_that_cannot_be_written_is_a_warning(tmp_path: Path) -> None:
    """A daemon starts all the same."""
    places = Places(tmp_path)
    places.left.mkdir()
    with closing(sqlite3.connect(places.store, isolation_level=None)) as db:
        schema.migrate(db)
        (warning,) = leave(places, db)
    assert str(places.left) in warning
