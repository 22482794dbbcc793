"""Rows read back: the open trees at start, single nodes, events and journal lines later."""

import sqlite3
from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

import msgspec
from immutables import Map
from msgspec.structs import replace

from subsessiond.model.brief import Brief
from subsessiond.model.events import AnyEvent, MessagesMoved
from subsessiond.model.ids import MessageId, NodeId, is_node_id
from subsessiond.model.message import Message, MessageState
from subsessiond.model.node import Node
from subsessiond.model.tree import KeyRecord, Tree
from subsessiond.ports import JournalLine

_node = msgspec.json.Decoder(Node)
_brief = msgspec.json.Decoder(Brief)
_message = msgspec.json.Decoder(Message)
_key = msgspec.json.Decoder(KeyRecord)
_event: msgspec.json.Decoder[Any] = msgspec.json.Decoder(AnyEvent)
_moved = msgspec.json.Decoder(MessagesMoved)
_body = msgspec.json.Decoder(dict[str, Any])

_OPEN_NODES = (
    "SELECT n.rowid, n.id, n.body, b.body FROM nodes n LEFT JOIN briefs b ON b.node = n.id"
    " WHERE n.root IN (SELECT root FROM nodes WHERE released = 0) ORDER BY n.rowid"
)
_OPEN_MAIL = (
    "SELECT m.rowid, m.recipient, m.body FROM mail m JOIN nodes n ON n.id = m.recipient"
    " WHERE n.root IN (SELECT root FROM nodes WHERE released = 0) ORDER BY m.place"
)
_OPEN_KEYS = (
    "SELECT k.rowid, k.owner, k.body FROM keys k JOIN nodes n ON n.id = k.owner"
    " WHERE n.root IN (SELECT root FROM nodes WHERE released = 0)"
)
_ONE = "SELECT n.body, b.body FROM nodes n LEFT JOIN briefs b ON b.node = n.id WHERE n.id = ?"
_ONE_ROOT = (
    "SELECT n.id, n.body, b.body FROM nodes n LEFT JOIN briefs b ON b.node = n.id"
    " WHERE n.root = ? ORDER BY n.rowid"
)
_MOVE = (
    "SELECT body FROM (SELECT seq, body FROM events WHERE type = 'MessagesMoved' AND node = ?"
    " ORDER BY seq DESC LIMIT ?) WHERE instr(body, ?) ORDER BY seq DESC LIMIT 1"
)
MOVES_MOST = 65_536
"""Moves of one mailbox that are looked through: several times what one tree can bring about."""

_LINES = "SELECT node, n, workspace, at_ms, kind, body FROM journal_lines"


def last_seq(db: sqlite3.Connection) -> int:
    """Read the sequence number of the last event there ever was."""
    floor = db.execute("SELECT value FROM meta WHERE name = 'seq_floor'").fetchone()
    newest = db.execute("SELECT max(seq) FROM events").fetchone()
    return max(int(floor[0]), newest[0] or 0)


def read_uuid(db: sqlite3.Connection) -> str:
    """Read the store's own name."""
    return str(db.execute("SELECT value FROM meta WHERE name = 'uuid'").fetchone()[0])


def read_tree(
    db: sqlite3.Connection, fold: Callable[[Tree, Node], Tree]
) -> tuple[Tree, tuple[str, ...]]:
    """Build the tree of everything open; records that cannot be are set aside, with a warning."""
    tree, warnings = Tree(), []
    for place, name, body, brief in db.execute(_OPEN_NODES).fetchall():
        try:
            node = _read_node(name, body, brief)
            if node.parent is not None and node.parent not in tree.nodes:
                raise ValueError("its parent is not there")
            tree = fold(tree, node)
        except (ValueError, msgspec.MsgspecError) as fault:
            warnings.append(_set_aside(db, _Spoiled("nodes", name, place, body), fault))
    mail, bad_mail = _read_mail(db, tree)
    keys, bad_keys = _read_keys(db)
    tree = replace(tree, seq=last_seq(db), mail=mail, keys=keys)
    return tree, (*warnings, *bad_mail, *bad_keys)


def read_node(db: sqlite3.Connection, node_id: NodeId) -> Node | None:
    """Read one node, wherever its tree stands."""
    row = db.execute(_ONE, (node_id,)).fetchone()
    return _read_node(node_id, *row) if row else None


def read_root(db: sqlite3.Connection, root: NodeId) -> tuple[Node, ...]:
    """Read a root and all below it, parents before their children."""
    return tuple(_read_node(*row) for row in db.execute(_ONE_ROOT, (root,)))


def read_all(db: sqlite3.Connection) -> dict[NodeId, Node]:
    """Read every readable node there is; for rebuilding only."""
    found: dict[NodeId, Node] = {}
    rows = db.execute(
        "SELECT n.id, n.body, b.body FROM nodes n LEFT JOIN briefs b ON b.node = n.id"
    )
    for name, body, brief in rows:
        try:
            found[NodeId(name)] = _read_node(name, body, brief)
        except (ValueError, msgspec.MsgspecError):
            continue  # read_tree sets it aside and says so
    return found


def read_events(db: sqlite3.Connection, seq: int, limit: int) -> tuple[AnyEvent, ...]:
    """Read events after a number, oldest first."""
    rows = db.execute("SELECT body FROM events WHERE seq > ? ORDER BY seq LIMIT ?", (seq, limit))
    return tuple(_event.decode(body) for (body,) in rows)


def read_move(
    db: sqlite3.Connection, mailboxes: tuple[NodeId, ...], message_id: MessageId
) -> MessageState | None:
    """Read to which state a message was moved last in one of these mailboxes."""
    found: list[MessagesMoved] = []
    for mailbox in mailboxes:
        row = db.execute(_MOVE, (mailbox, MOVES_MOST, f'"{message_id}"'.encode())).fetchone()
        if row is not None:
            found.append(_moved.decode(row[0]))
    return max(found, key=lambda event: event.seq).state if found else None


def read_unsynced(db: sqlite3.Connection) -> tuple[JournalLine, ...]:
    """Read the lines that may not stand in their files."""
    return tuple(_line(*row) for row in db.execute(f"{_LINES} WHERE synced = 0 ORDER BY node, n"))


def read_kept(db: sqlite3.Connection, node_id: NodeId) -> tuple[JournalLine, ...]:
    """Read all lines of one node that are still kept."""
    rows = db.execute(f"{_LINES} WHERE node = ? ORDER BY n", (node_id,))
    return tuple(_line(*row) for row in rows)


def read_workspaces(db: sqlite3.Connection) -> tuple[str, ...]:
    """Read every workspace that a node ever worked in."""
    rows = db.execute("SELECT DISTINCT workspace FROM nodes ORDER BY workspace")
    return tuple(workspace for (workspace,) in rows)


def _read_node(name: str, body: bytes, brief: bytes | None) -> Node:
    node = _node.decode(body)
    if node.node_id != name or not is_node_id(name):
        raise ValueError("its name is not one that this program gives")
    return node if brief is None else replace(node, brief=_brief.decode(brief))


def _read_mail(
    db: sqlite3.Connection, tree: Tree
) -> tuple[Map[NodeId, tuple[Message, ...]], tuple[str, ...]]:
    boxes: dict[NodeId, list[Message]] = {}
    warnings = []
    for place, recipient, body in db.execute(_OPEN_MAIL).fetchall():
        try:
            message = _message.decode(body)
        except msgspec.MsgspecError as fault:
            warnings.append(_set_aside(db, _Spoiled("mail", recipient, place, body), fault))
            continue
        if recipient in tree.nodes:
            boxes.setdefault(recipient, []).append(message)
    return Map({recipient: tuple(box) for recipient, box in boxes.items()}), tuple(warnings)


def _read_keys(
    db: sqlite3.Connection,
) -> tuple[Map[tuple[str, str], KeyRecord], tuple[str, ...]]:
    keys: dict[tuple[str, str], KeyRecord] = {}
    warnings = []
    for place, owner, body in db.execute(_OPEN_KEYS).fetchall():
        try:
            key = _key.decode(body)
        except msgspec.MsgspecError as fault:
            warnings.append(_set_aside(db, _Spoiled("keys", owner, place, body), fault))
            continue
        keys[key.owner, key.key] = key
    return Map(keys), tuple(warnings)


class _Spoiled(NamedTuple):
    """A row that cannot be read."""

    table: Literal["nodes", "mail", "keys"]
    name: str
    rowid: int
    body: bytes


_REMOVE: Final = MappingProxyType(
    {
        "nodes": "DELETE FROM nodes WHERE rowid = ?",
        "mail": "DELETE FROM mail WHERE rowid = ?",
        "keys": "DELETE FROM keys WHERE rowid = ?",
    }
)


def _set_aside(db: sqlite3.Connection, row: _Spoiled, why: Exception) -> str:
    """Move one row out of the way, durably; the rest loads."""
    db.execute("BEGIN IMMEDIATE")
    db.execute(
        "INSERT INTO set_aside (table_name, name, why, body) VALUES (?, ?, ?, ?)",
        (row.table, str(row.name), str(why), row.body),
    )
    db.execute(_REMOVE[row.table], (row.rowid,))
    db.execute("COMMIT")
    return f"a saved record of {str(row.name)[:40]!r} in {row.table} was set aside: {why}"


def _line(node: str, n: int, workspace: str, at_ms: int, kind: str, body: bytes) -> JournalLine:
    return JournalLine(
        node_id=NodeId(node),
        workspace=workspace,
        n=n,
        at_ms=at_ms,
        kind=kind,
        body=_body.decode(body),
    )
