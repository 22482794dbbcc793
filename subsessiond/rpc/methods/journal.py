"""`subsession.journal`: a node's journal, for the operator and for its successors."""

from subsessiond.core.views.answers import bounded_journal, room_of
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node
from subsessiond.model.view import JournalAnswer, JournalEntry
from subsessiond.ports import JournalLine, JournalRecord
from subsessiond.rpc.call import Call
from subsessiond.rpc.desk import Desk, not_found
from subsessiond.wire.params import JournalParams

LINES = 100
PAGE_BYTES = 2 * 1024 * 1024
"""Bound of a page to the operator: eight checkpoints of the largest size."""


async def journal(desk: Desk, call: Call, params: JournalParams) -> JournalAnswer:
    """Read lines from `first` on."""
    node = await _readable(desk, call, params.node_id)
    await desk.settle_journals()
    first, limit = params.first or 1, params.limit or LINES
    records = await _records(desk, node, first, limit)
    room = PAGE_BYTES if call.caller.is_operator else room_of(desk.limits)
    entries = bounded_journal(map(_entry, records), room)
    full = len(entries) < len(records) or len(records) == limit
    return JournalAnswer(records=entries, next=entries[-1].n + 1 if entries and full else None)


async def _records(desk: Desk, node: Node, first: int, limit: int) -> tuple[JournalRecord, ...]:
    """Read lines from the file, and those that could not be written there from the store."""
    written = await desk.journals.read(node.workspace, node.node_id, first, limit)
    after = written[-1].n if written else first - 1
    last = min(node.journal_lines, first + limit - 1)
    if after >= last:
        return written
    kept = await desk.store.kept_lines(node.node_id)
    missing = sorted((line for line in kept if after < line.n <= last), key=lambda line: line.n)
    return (*written, *map(_record, missing))


def _record(line: JournalLine) -> JournalRecord:
    return JournalRecord(n=line.n, at_ms=line.at_ms, kind=line.kind, body=line.body)


async def _readable(desk: Desk, call: Call, node_id: NodeId) -> Node:
    if call.caller.is_operator:
        return await desk.any_node(node_id)
    for before in _line(desk, call.caller.node_id):
        if before.node_id == node_id:
            return before
    raise not_found()


def _line(desk: Desk, node_id: NodeId | None) -> list[Node]:
    """List a node's predecessors, the nearest first."""
    found: list[Node] = []
    node = desk.tree.nodes.get(node_id) if node_id is not None else None
    while node is not None and node.predecessor is not None:
        node = desk.tree.nodes.get(node.predecessor)
        if node is not None:
            found.append(node)
    return found


def _entry(record: JournalRecord) -> JournalEntry:
    return JournalEntry(
        n=record.n,
        at=record.at_ms,
        kind=record.kind,
        body=record.body,
        damaged=record.damaged,
    )
