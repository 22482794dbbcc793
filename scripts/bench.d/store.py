"""The store: commits as ratios to a bare SQLite commit of the same run, and a start at full size.

Function-based, so that scripts/bench can import it: `measure()` gives the numbers.
"""

import asyncio
import json
import sqlite3
import statistics
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # run by path, from anywhere
    sys.path.insert(0, str(Path(__file__).parents[2]))

from msgspec.structs import replace

from subsessiond.adapters.store import schema
from subsessiond.adapters.store.writer import write_nodes
from subsessiond.core.indexes import restore
from subsessiond.model.node import Node, Status
from subsessiond.ports import Batch
from tests.support.ledger import (
    AT_MS,
    Ledger,
    State,
    admitted,
    child,
    line,
    node_id,
    opened,
    root,
    started,
)

ROUNDS = 600
BATCH = 64
LIVE, CLOSED, EVENTS = 1_000, 100_000, 1_000_000
TREE_SIZE = 200
START_LIMIT_S = 1.0


# ------------------------------------------------------------------ commits


def commits(rounds: int = ROUNDS) -> dict[str, float]:
    """Measure commits of 1 and of 64 reports beside bare ones, in turns.

    Returns:
        p50 in microseconds: `bare` (one row), `one`, `batch`; and the ratios to `bare`. A report
        is two events, a node, a message and a journal line.
    """
    with tempfile.TemporaryDirectory(prefix="subsessiond-bench-") as place:
        return asyncio.run(_commits(Path(place), rounds))


async def _commits(place: Path, rounds: int) -> dict[str, float]:
    with closing(_bare_store(place / "bare.sqlite")) as bare:
        async with State(place / "state") as state:
            ledger, _ = await state.open()
            children = await _grow(ledger)
            took: dict[str, list[float]] = {"bare": [], "one": [], "batch": []}
            for n in range(rounds):
                took["bare"].append(_bare_commit(bare, n))
                one = (children[n % BATCH],)
                took["one"].append(await _timed(ledger, one))
                if n % 10 == 0:
                    took["batch"].append(await _timed(ledger, children))
    found = {name: statistics.median(times) * 1e6 for name, times in took.items()}
    ratios = {f"{name}/bare": found[name] / found["bare"] for name in ("one", "batch")}
    return {**found, **ratios}


def _bare_store(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None)
    for pragma in ("journal_mode = WAL", "synchronous = FULL"):
        db.execute(f"PRAGMA {pragma}")
    db.execute("CREATE TABLE events (seq INTEGER PRIMARY KEY, body BLOB)")
    return db


def _bare_commit(db: sqlite3.Connection, n: int) -> float:
    begin = time.perf_counter()
    db.execute("BEGIN IMMEDIATE")
    db.execute("INSERT INTO events VALUES (?, ?)", (n, b"x" * 300))
    db.execute("COMMIT")
    return time.perf_counter() - begin


async def _grow(ledger: Ledger) -> tuple[Node, ...]:
    mother = root(1)
    children = tuple(child(2 + n, mother) for n in range(BATCH))
    await ledger.commit(opened(mother))
    await ledger.commit(*(admitted(each) for each in children))
    await ledger.commit(*(started(each.node_id) for each in children))
    return children


async def _timed(ledger: Ledger, children: tuple[Node, ...]) -> float:
    """Time the commit alone: deciding and folding is not the store's."""
    made = [(each, ledger.report(each.node_id, "x" * 300)) for each in children]
    events, tree = ledger.fold(*(event for _, pair in made for event in pair))
    lines = tuple(line(each, accepted.line) for each, (accepted, _) in made)
    batch = Batch(events=events, tree=tree, lines=lines)
    begin = time.perf_counter()
    await ledger.store.commit(batch)
    took = time.perf_counter() - begin
    ledger.tree = replace(tree, mail=tree.mail.delete(node_id(1)))
    return took


# ------------------------------------------------------------------ start


def start(live: int = LIVE, closed: int = CLOSED, events: int = EVENTS) -> dict[str, float]:
    """Measure a start: lock, open, load and close of a store of full size.

    Returns:
        Seconds `load` took; `nodes` in the loaded tree; `bytes` of the store.
    """
    with tempfile.TemporaryDirectory(prefix="subsessiond-bench-") as place:
        return asyncio.run(_start(Path(place), live, closed, events))


async def _start(place: Path, live: int, closed: int, events: int) -> dict[str, float]:
    async with State(place) as state:
        ledger, _ = await state.open()
        await ledger.store.aclose()
        path = place / "registry.sqlite"
        _fill(path, live, closed, events)
        begin = time.perf_counter()
        store = state.store()
        loaded = await store.load(restore)
        took = time.perf_counter() - begin
        assert loaded.tree.live_total == live
        assert loaded.tree.seq == events
        return {
            "load": took,
            "nodes": float(len(loaded.tree.nodes)),
            "bytes": float(path.stat().st_size),
        }


def _fill(path: Path, live: int, closed: int, events: int) -> None:
    """Write nodes and events past the port: a million commits would take minutes."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        assert schema.version_of(db) == len(schema.MIGRATIONS)
        db.execute("PRAGMA synchronous = OFF")
        db.execute("BEGIN")
        for n in range(0, closed + live, TREE_SIZE):
            is_open = n >= closed
            write_nodes(db, tuple((node, True) for node in _tree(1 + n, is_open=is_open)))
        body = b'{"type":"NodeStarted","node":"%s","atMs":%d,"seq":%%d}' % (b"0" * 26, AT_MS)
        body += b" " * (300 - len(body))
        rows: Any = ((n, "0" * 26, "NodeStarted", AT_MS, body % n) for n in range(1, events + 1))
        db.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?)", rows)
        db.execute("COMMIT")


def _tree(first: int, *, is_open: bool) -> list[Node]:
    """Make a root and its children, all live or all released."""
    mother = root(first * 1_000, f"/work/{first % 50}")
    mission = {"brief": replace(_brief(), mission="m" * 500)}
    status = Status.RUNNING if is_open else Status.RELEASED
    kids = [
        child(first * 1_000 + n, mother, status=status, **mission) for n in range(1, TREE_SIZE + 1)
    ]
    return [replace(mother, status=status), *kids]


def _brief() -> Any:
    return child(2, root(1)).brief


def measure() -> dict[str, dict[str, float]]:
    """Measure commits and a start, as `commits` and `start` tell."""
    return {"commits": commits(), "start": start()}


def main() -> None:
    """Print the numbers as JSON; fail where the start is too slow."""
    found = measure()
    print(json.dumps({"startNeeded": START_LIMIT_S, **found}, indent=1))
    if found["start"]["load"] > START_LIMIT_S:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
