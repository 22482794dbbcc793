"""Bring what journals remember into a store that knows less."""

import sqlite3

from msgspec.structs import replace

from subsessiond.adapters.store.reader import last_seq, read_all
from subsessiond.adapters.store.writer import write_keys, write_nodes
from subsessiond.core.tally import most
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Author, Node, Settlement, Status, StopReason
from subsessiond.model.policy import Limits
from subsessiond.model.report import Outcome
from subsessiond.model.tree import KeyRecord

_ORDER = tuple(Status)
_JUMP = 1_000_000
"""Clients saw events that are lost; what follows must be newer than their cursors."""


def absorb(db: sqlite3.Connection, nodes: tuple[Node, ...], seq: int) -> str:
    """Write every node of which the journals know more, inside the open transaction.

    Args:
        db: A store with an open transaction.
        nodes: As rebuilt from journals.
        seq: A number that the lost store had surely reached.

    Returns:
        What was done, for the operator.
    """
    known = read_all(db)
    changed = {node.node_id: _merged(known.get(node.node_id), node) for node in nodes}
    changed = {name: node for name, node in changed.items() if node != known.get(name)}
    _add_parents(known, changed)
    _link_lines(known, changed)
    newest = max((node.seq for node in changed.values()), default=0)
    floor = max(last_seq(db), seq, newest) + _JUMP
    db.execute("UPDATE meta SET value = ? WHERE name = 'seq_floor'", (str(floor),))
    write_nodes(db, tuple((changed[name], name not in known) for name in sorted(changed)))
    write_keys(db, tuple(_key(n) for n in changed.values() if n.node_id not in known and n.key))
    if not changed:
        return f"none of {len(nodes)} journals knew more than the store"
    return (
        f"{len(changed)} records were brought in from {len(nodes)} journals; their messages may be "
        "missing in mailboxes, the reports themselves stand in the journals"
    )


def _merged(known: Node | None, told: Node) -> Node:
    """Take a record forward to what its journal tells; never back."""
    if known is None:
        return told
    if told.journal_lines <= known.journal_lines:
        return known
    is_further = _ORDER.index(told.status) > _ORDER.index(known.status)
    return replace(
        known,
        status=told.status if is_further else known.status,
        settlement=known.settlement or told.settlement,
        settled_at_ms=known.settled_at_ms or told.settled_at_ms,
        released_at_ms=known.released_at_ms or told.released_at_ms,
        checkpoint=told.checkpoint or known.checkpoint,
        measured=most(known.measured, told.measured),
        newest=told.newest,
        last_report=told.last_report,
        reports=max(known.reports, told.reports),
        findings=max(known.findings, told.findings),
        messages=max(known.messages, told.messages),
        journal_lines=told.journal_lines,
    )


def _key(node: Node) -> KeyRecord:
    """Keep a key used. Its fingerprint is lost: a repeat is refused, never started twice."""
    assert node.parent is not None and node.key is not None  # noqa: PT018
    return KeyRecord(owner=node.parent, key=node.key, fingerprint="", node_id=node.node_id)


def _link_lines(known: dict[NodeId, Node], changed: dict[NodeId, Node]) -> None:
    """Tell predecessors who succeeded them."""
    for node in tuple(changed.values()):
        before = node.predecessor and (changed.get(node.predecessor) or known.get(node.predecessor))
        is_heir = node.settlement is None or node.settlement.reason != "start-failed"
        if before and is_heir and before.successor is None:
            changed[before.node_id] = replace(before, successor=node.node_id)


def _add_parents(known: dict[NodeId, Node], changed: dict[NodeId, Node]) -> None:
    """Stand in for parents of whom nothing is left, so that their children can be reached."""
    for node in tuple(changed.values()):
        for name in (node.root, node.parent):
            if name is not None and name not in known and name not in changed:
                changed[name] = _stand_in(name, node)


def _stand_in(name: NodeId, child: Node) -> Node:
    is_root = name == child.root
    lost = Settlement(
        outcome=Outcome.FAILED,
        stop_reason=StopReason.ERROR,
        reason="record-lost",
        author=Author.RUNTIME,
        output="The record of this node was lost with the registry.",
    )
    return Node(
        node_id=name,
        parent=None if is_root else child.root,
        root=child.root,
        workspace=child.workspace,
        status=Status.RUNNING if is_root else Status.RELEASED,
        title="(record lost)",
        depth=Limits().root_depth if is_root else 0,
        token_cap=Limits().root_token_cap if is_root else 0,
        claimed_at_ms=child.claimed_at_ms,
        settlement=None if is_root else lost,
        settled_at_ms=None if is_root else child.claimed_at_ms,
        released_at_ms=None if is_root else child.claimed_at_ms,
    )
