"""State directories of full size, written past the port: a million commits would take minutes."""

import asyncio
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from msgspec.structs import replace

from subsessiond.adapters.processes.proc import ProcTable
from subsessiond.adapters.store import schema
from subsessiond.adapters.store.writer import write_nodes
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Author, Node, Settlement, Status, StopReason
from subsessiond.model.process import ContainerKind, Identity
from subsessiond.model.report import Outcome
from tests.support.ledger import AT_MS, State, child, root

TREE_SIZE = 200
"""Children of one root."""
MISSION = "m" * 500
REPORT = "r" * 600
EVENT_BYTES = 300
TICKS = os.sysconf("SC_CLK_TCK")
FREE_PID = 2**22 + 1
"""No process ever has this number: the kernel's greatest is below it."""

_DONE = Settlement(
    outcome=Outcome.COMPLETED,
    stop_reason=StopReason.COMPLETED,
    reason="final-report",
    author=Author.CHILD,
    output=REPORT,
)


def fill(
    state: Path,
    workspaces: Path,
    *,
    live: int = 0,
    closed: int = 0,
    settled: int = 0,
    events: int = 0,
) -> None:
    """Make a state directory as a daemon leaves it that is killed.

    Args:
        state: Where; made here.
        workspaces: Where the workspaces of the trees are made.
        live: Running children, in trees that are open.
        closed: Released children, in trees that are closed.
        settled: Released children, in trees that are open.
        events: How many there have been.
    """
    open_once(state)
    with closing(sqlite3.connect(state / "registry.sqlite", isolation_level=None)) as db:
        if schema.version_of(db) != len(schema.MIGRATIONS):
            raise RuntimeError("the store was not made by this program")
        db.execute("PRAGMA synchronous = OFF")
        db.execute("BEGIN")
        first = 1
        kinds = ((closed, False, False), (settled, True, False), (live, True, True))
        for count, is_open, is_live in kinds:
            for tree in _trees(first, count, workspaces, is_open=is_open, is_live=is_live):
                write_nodes(db, tuple((node, True) for node in tree))
            first += count + 1
        _write_events(db, events)
        db.execute("COMMIT")
    open_once(state)


def open_once(state: Path) -> None:
    """Open a state directory and close it, so that the next start finds it as it was left.

    Why: files written past the port, or copied, are looked at closely by the next to open them.
    """

    async def main() -> None:
        async with State(state) as made:
            await made.open()

    asyncio.run(main())


def _trees(
    first: int, count: int, workspaces: Path, *, is_open: bool, is_live: bool
) -> Iterator[list[Node]]:
    for n in range(0, count, TREE_SIZE):
        place = workspaces / f"w{(first + n) // TREE_SIZE % 50}"
        place.mkdir(parents=True, exist_ok=True)
        number = (first + n) * 10
        mother = root(number, str(place))
        size = min(TREE_SIZE, count - n)
        kids = [_child(number + k, mother, is_live=is_live) for k in range(1, size + 1)]
        status = Status.RUNNING if is_open else Status.RELEASED
        yield [replace(mother, status=status), *kids]


def _child(number: int, mother: Node, *, is_live: bool) -> Node:
    node = child(number, mother)
    assert node.brief is not None
    node = replace(node, brief=replace(node.brief, mission=MISSION), started_at_ms=AT_MS)
    if is_live:
        return replace(node, status=Status.RUNNING, identity=_identity(node.node_id))
    return replace(
        node,
        status=Status.RELEASED,
        settlement=_DONE,
        settled_at_ms=AT_MS,
        released_at_ms=AT_MS,
    )


def _identity(node_id: NodeId) -> Identity:
    """Give the identity of a process of this boot, started just now, that is gone."""
    return Identity(
        pid=FREE_PID,
        start_ticks=int(time.clock_gettime(time.CLOCK_BOOTTIME) * TICKS),
        boot_id=_boot_id(),
        container=str(ContainerKind.DESCENT),
        marker=f"SUBSESSION_NODE={node_id}",
    )


def _boot_id() -> str:
    table = ProcTable()
    try:
        return table.boot_id
    finally:
        table.close()


def _write_events(db: sqlite3.Connection, events: int) -> None:
    body = b'{"type":"NodeStarted","node":"%s","atMs":%d,"seq":%%d}' % (b"0" * 26, AT_MS)
    body += b" " * (EVENT_BYTES - len(body))
    rows = ((n, "0" * 26, "NodeStarted", AT_MS, body % n) for n in range(1, events + 1))
    db.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?)", rows)
