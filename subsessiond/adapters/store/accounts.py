"""The context ledger's rows: beside the registry's, and never in its way."""

import sqlite3
from typing import Final

import msgspec

from subsessiond.adapters.store.opened import OpenStore
from subsessiond.model.ids import NodeId
from subsessiond.model.ledger import Account, Life

LIVES_MOST: Final = 100
"""Lives that are remembered; of more of them nobody would read."""

_encode = msgspec.json.Encoder().encode
_account = msgspec.json.Decoder(Account)
_lives = msgspec.json.Decoder(tuple[Life, ...])

_KEEP = "INSERT OR REPLACE INTO accounts VALUES (?, ?)"
_READ = "SELECT node, body FROM accounts WHERE node IN (SELECT value FROM json_each(?))"
_META = "INSERT OR REPLACE INTO meta VALUES (?, ?)"
_BEGAN, _KILLED = "counting_since", "counting_killed"


def keep_accounts(store: OpenStore, accounts: tuple[Account, ...], *, last: bool) -> bool:
    """Write counts; the last of a life say that it ended well.

    Returns:
        Whether the log should be copied into the store.
    """
    rows = [(account.node_id, _encode(account)) for account in accounts]
    with store.transaction("keeping counts", durable=False) as db:
        db.executemany(_KEEP, rows)
        if last:
            db.execute("DELETE FROM meta WHERE name = ?", (_BEGAN,))
    return store.grew(sum(len(body) for _, body in rows), 1)


def read_accounts(db: sqlite3.Connection, ids: tuple[NodeId, ...]) -> tuple[Account, ...]:
    """Read the counts of those nodes that have any; what cannot be read is not there."""
    found: dict[str, Account] = {}
    for node_id, body in db.execute(_READ, (_encode(ids),)):
        try:
            found[node_id] = _account.decode(body)
        except msgspec.MsgspecError:
            continue  # a count that is lost is not counted: it shows as not known
    return tuple(found[node_id] for node_id in ids if node_id in found)


def begin_counting(store: OpenStore, at_ms: int) -> tuple[Life, ...]:
    """Note that a life begins, and give those before it that did not end well."""
    with store.transaction("beginning to count", durable=False) as db:
        lives = _read_lives(db)
        if (began := _meta(db, _BEGAN)) is not None:
            lives = (*lives, Life(began_ms=int(began), found_ms=at_ms))[-LIVES_MOST:]
            db.execute(_META, (_KILLED, _encode(lives).decode()))
        db.execute(_META, (_BEGAN, str(at_ms)))
    return lives


def _read_lives(db: sqlite3.Connection) -> tuple[Life, ...]:
    known = _meta(db, _KILLED)
    return _lives.decode(known) if known is not None else ()


def _meta(db: sqlite3.Connection, name: str) -> str | None:
    row = db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
    return str(row[0]) if row is not None else None
