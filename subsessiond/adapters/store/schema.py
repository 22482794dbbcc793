"""The tables, and the steps from each older form to the next.

A step, once released, is never changed.

Wart: bodies leave out fields that have their default, so a default may never come to mean
something else; give the field another name instead.
"""

import sqlite3
import uuid
from collections.abc import Callable
from typing import Final

APPLICATION_ID: Final = 0x53756273  # "Subs": what `file` and we know our stores by


_VERSION_1: Final = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE events (
    seq INTEGER PRIMARY KEY, node TEXT NOT NULL, type TEXT NOT NULL, at_ms INTEGER NOT NULL,
    body BLOB NOT NULL
);

-- The rowid keeps the order of admission: parents come before their children.
CREATE TABLE nodes (
    id TEXT NOT NULL UNIQUE, root TEXT NOT NULL, workspace TEXT NOT NULL, status TEXT NOT NULL,
    released INTEGER NOT NULL, body BLOB NOT NULL
);
CREATE INDEX nodes_unreleased ON nodes (root) WHERE released = 0;
CREATE INDEX nodes_by_root ON nodes (root);

-- Apart from the rest of its node, because it is long and never changes.
CREATE TABLE briefs (node TEXT NOT NULL UNIQUE, body BLOB NOT NULL);

CREATE TABLE mail (
    place INTEGER PRIMARY KEY, recipient TEXT NOT NULL, message TEXT NOT NULL, body BLOB NOT NULL,
    UNIQUE (recipient, message)
);

CREATE TABLE keys (
    owner TEXT NOT NULL, key TEXT NOT NULL, body BLOB NOT NULL, UNIQUE (owner, key)
);

CREATE TABLE journal_lines (
    node TEXT NOT NULL, n INTEGER NOT NULL, workspace TEXT NOT NULL, at_ms INTEGER NOT NULL,
    kind TEXT NOT NULL, body BLOB NOT NULL, synced INTEGER NOT NULL DEFAULT 0, UNIQUE (node, n)
);
CREATE INDEX journal_unsynced ON journal_lines (node, n) WHERE synced = 0;

CREATE TABLE set_aside (
    place INTEGER PRIMARY KEY, table_name TEXT NOT NULL, name TEXT NOT NULL, why TEXT NOT NULL,
    body BLOB
);
"""


def _create(db: sqlite3.Connection) -> None:
    """Version 1."""
    for statement in _VERSION_1.split(";\n"):
        db.execute(statement)
    db.execute("INSERT INTO meta VALUES ('uuid', ?), ('seq_floor', '0')", (str(uuid.uuid4()),))
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def _index_moves(db: sqlite3.Connection) -> None:
    """Version 2: how a message left its mailbox is found without reading the whole history."""
    db.execute("CREATE INDEX events_moved ON events (node, seq) WHERE type = 'MessagesMoved'")


def _keep_accounts(db: sqlite3.Connection) -> None:
    """Version 3: what each session holds and what of it was shown. Older nodes were not counted."""
    db.execute("CREATE TABLE accounts (node TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID")


def _keep_acceptances(db: sqlite3.Connection) -> None:
    """Version 4: which bytes of which workspaces may be roles."""
    db.execute(
        "CREATE TABLE roles_accepted (workspace TEXT NOT NULL, name TEXT NOT NULL, "
        "digest TEXT NOT NULL, at_ms INTEGER NOT NULL, "
        "PRIMARY KEY (workspace, name, digest)) WITHOUT ROWID"
    )


def _index_agents(db: sqlite3.Connection) -> None:
    """Version 5: whose process each agent was is found without reading the whole history."""
    db.execute(
        "CREATE INDEX events_agents ON events (seq)"
        " WHERE type IN ('RootOpened', 'RootResumed', 'RootJoined')"
    )


MIGRATIONS: Final[tuple[Callable[[sqlite3.Connection], None], ...]] = (
    _create,
    _index_moves,
    _keep_accounts,
    _keep_acceptances,
    _index_agents,
)
"""Step i leads from version i to version i + 1; 0 is an empty file."""


def version_of(db: sqlite3.Connection) -> int:
    """Read which version a store has."""
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def migrate(db: sqlite3.Connection) -> None:
    """Bring a store to the newest version, all or nothing."""
    if (found := version_of(db)) == len(MIGRATIONS):
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        for step in MIGRATIONS[found:]:
            step(db)
        db.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise
