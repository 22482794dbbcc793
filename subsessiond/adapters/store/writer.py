"""Rows written: one batch into one open transaction."""

import sqlite3
from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from subsessiond.adapters.store.touched import Touched
from subsessiond.model.ids import MessageId, NodeId
from subsessiond.model.message import Message
from subsessiond.model.node import Node, Status
from subsessiond.model.tree import KeyRecord
from subsessiond.ports import Batch, JournalLine

LINES_KEPT = 3
"""Of each journal, so that it can be made again after somebody cleaned the workspace."""

_encode = msgspec.json.Encoder().encode

_EVENT = "INSERT INTO events VALUES (?, ?, ?, ?, ?)"
_NODE = (
    "INSERT INTO nodes VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
    " status = excluded.status, released = excluded.released, body = excluded.body"
)
_BRIEF = "INSERT OR REPLACE INTO briefs VALUES (?, ?)"
_MAIL = "INSERT INTO mail (recipient, message, body) VALUES (?, ?, ?)"
_MAIL_CHANGED = "UPDATE mail SET body = ? WHERE recipient = ? AND message = ?"
_MAIL_GONE = "DELETE FROM mail WHERE recipient = ? AND message = ?"
_KEY = "INSERT OR REPLACE INTO keys VALUES (?, ?, ?)"
_KEY_FREED = "DELETE FROM keys WHERE owner = ? AND key = ?"
_LINE = (
    "INSERT INTO journal_lines (node, n, workspace, at_ms, kind, body) VALUES (?, ?, ?, ?, ?, ?)"
)
_SYNCED = "UPDATE journal_lines SET synced = 1 WHERE node = ? AND n = ?"
_TRIM = (
    "DELETE FROM journal_lines WHERE node = ?1 AND synced = 1"
    " AND n <= (SELECT max(n) FROM journal_lines WHERE node = ?1) - ?2"
)


def write_batch(db: sqlite3.Connection, batch: Batch, changes: Touched) -> int:
    """Write all of a batch; the caller opened the transaction and commits it.

    Returns:
        Bytes of the events' bodies. What else is written is seldom more than twice that.
    """
    events = [(e.seq, e.node, type(e).__name__, e.at_ms, _encode(e)) for e in batch.events]
    db.executemany(_EVENT, events)
    write_nodes(db, changes.nodes)
    for recipient, before, after in changes.mail:
        _write_box(db, recipient, before, after)
    write_keys(db, changes.keys)
    if changes.freed_keys:
        db.executemany(_KEY_FREED, changes.freed_keys)
    if batch.lines:
        db.executemany(_LINE, [_line(line) for line in batch.lines])
    return sum(len(body) for *_, body in events)


def write_nodes(db: sqlite3.Connection, nodes: tuple[tuple[Node, bool], ...]) -> None:
    """Write snapshots, and the briefs of those nodes that are marked."""
    if not nodes:
        return
    db.executemany(_NODE, [_snapshot(node) for node, _ in nodes])
    briefs = [
        (node.node_id, _encode(node.brief)) for node, is_new in nodes if is_new and node.brief
    ]
    if briefs:
        db.executemany(_BRIEF, briefs)


def write_keys(db: sqlite3.Connection, keys: tuple[KeyRecord, ...]) -> None:
    """Write what keys were used for."""
    if keys:
        db.executemany(_KEY, [(key.owner, key.key, _encode(key)) for key in keys])


def mark_synced(db: sqlite3.Connection, lines: tuple[tuple[NodeId, int], ...]) -> None:
    """Mark lines as safe in their files and drop what need not be kept any more."""
    db.executemany(_SYNCED, lines)
    db.executemany(_TRIM, [(node, LINES_KEPT) for node in sorted({node for node, _ in lines})])


def _snapshot(node: Node) -> tuple[str, str, str, str, bool, bytes]:
    body = _encode(replace(node, brief=None))
    released = node.status is Status.RELEASED
    return node.node_id, node.root, node.workspace, node.status.value, released, body


def _line(line: JournalLine) -> tuple[str, int, str, int, str, bytes]:
    return line.node_id, line.n, line.workspace, line.at_ms, line.kind, _encode(line.body)


def _write_box(
    db: sqlite3.Connection,
    recipient: NodeId,
    before: tuple[Message, ...],
    after: tuple[Message, ...],
) -> None:
    """Write what changed in a mailbox, so that its order on disk is its order in the tree."""
    if after[: len(before)] == before:
        # Why first: mail nearly always only comes, and then what lies there costs nothing.
        fresh = after[len(before) :]
        db.executemany(_MAIL, [(recipient, m.message_id, _encode(m)) for m in fresh])
        return
    known = {message.message_id: message for message in before}
    if not _is_appended(known, after):
        _write_box(db, recipient, before, ())
        known = {}
    here = {message.message_id for message in after}
    gone = [(recipient, name) for name in known if name not in here]
    added = [(recipient, m.message_id, _encode(m)) for m in after if m.message_id not in known]
    changed = [
        (_encode(m), recipient, m.message_id)
        for m in after
        if m.message_id in known and known[m.message_id] is not m
    ]
    for statement, rows in ((_MAIL_GONE, gone), (_MAIL_CHANGED, changed), (_MAIL, added)):
        if rows:
            db.executemany(statement, rows)


def _is_appended(known: Mapping[MessageId, Message], after: tuple[Message, ...]) -> bool:
    """Tell whether old messages kept their order and all new ones stand behind them."""
    order = {name: place for place, name in enumerate(known)}
    places = [order.get(message.message_id, len(order)) for message in after]
    return places == sorted(places)
