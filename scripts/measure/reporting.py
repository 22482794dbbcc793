"""Durable reports over WebSocket, by 64 callers and by one."""

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from scripts.measure.daemons import TIME, QuietDaemon, bare
from scripts.measure.driver import Make, rate, times_ms, ws_caller
from scripts.measure.table import Row, Scale, Series, compared
from subsession.client import Client

ROWS = ("report-64", "report-1")
CALLERS = 64
PARENTS = 16
NEEDED = 0.3
SLOWER = 2.0
OUTPUT = "x" * 300
COMMITS = 60
PAGE_TOKENS = 8_000
CALL = json.dumps(
    {
        "jsonrpc": "2.0",
        "method": "subsession.report",
        "params": {"stage": "finding", "output": OUTPUT},
        "id": 1,
    },
    separators=(",", ":"),
).encode()


@dataclass(frozen=True)
class Scene:
    """A daemon with its children's parents, and the echo beside it."""

    daemon: QuietDaemon
    client: Client
    parents: tuple[str, ...]
    echo: Path

    def makes(self) -> list[Make]:
        """Give a caller for each child."""
        return [ws_caller(CALL, token=token) for token in self.daemon.child_tokens()]

    def read_mail(self) -> int:
        """Take what was reported out of the mailboxes, as parents do; gives how much there was."""
        count = 0
        for parent in self.parents:
            given = {"nodeId": parent, "maxTokens": PAGE_TOKENS}
            page = self.client.call("subsession.inbox", given)
            while page["messages"]:
                read = [message["messageId"] for message in page["messages"]]
                count += len(read)
                page = self.client.call("subsession.inbox", {**given, "acknowledge": read})
        return count


class Spending:
    """What the daemon spent on reports, added up over the rounds of one row."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._reports = 0
        self._sums: dict[str, float] = {}

    @contextmanager
    def round(self) -> Iterator[None]:
        """Count what happens meanwhile, up to the last report, then empty the mailboxes."""
        before = _flat(self._scene.daemon.spent())
        yield
        after = _flat(self._scene.daemon.spent())
        self._reports += self._scene.read_mail()
        for name, value in after.items():
            self._sums[name] = self._sums.get(name, 0.0) + value - before.get(name, 0.0)

    @property
    def commit_bytes(self) -> int:
        """What one commit writes into files."""
        return round(self._sums["written"] / self._sums["commits"])

    def words(self) -> str:
        """Say where the time of a report goes: who spends processor time, and what a commit is."""
        sums, commits = self._sums, self._sums["commits"]
        us = {name: 1e6 * sums[name] / self._reports for name in (*CPU, "loop_s", "process_s")}
        rest = us["loop_s"] - us["decide"] - us["publish"]
        others = us["process_s"] - us["loop_s"] - us["commit"]
        return (
            f"processor time of a report: {us['process_s']:.0f} µs, of it deciding"
            f" {us['decide']:.0f}, publishing {us['publish']:.0f}, RPC and WebSocket {rest:.0f},"
            f" the store {us['commit']:.0f}, journals and others {others:.0f}; a commit holds"
            f" {self._reports / commits:.1f} reports, writes {self.commit_bytes / 1024:.0f} KiB"
            f" and takes {1e3 * sums['commit_wall'] / commits:.2f} ms,"
            f" {1e3 * sums['commit'] / commits:.2f} ms of it computing"
        )


CPU = ("decide", "publish", "commit")


def _flat(spent: dict[str, Any]) -> dict[str, float]:
    """Give one number a name: processor time of places, what commits took, all the process did."""
    places = {name: spent["places"].get(name, (0.0, 0.0, 0.0)) for name in CPU}
    found = {name: cpu for name, (_, _, cpu) in places.items()}
    commits, wall, _ = places["commit"]
    whole = {name: spent[name] for name in ("loop_s", "process_s", "written")}
    return {**found, **whole, "commits": commits, "commit_wall": wall}


def measure(scale: Scale) -> list[Row]:
    """Measure both."""
    with _scene() as scene:
        return [_many(scale, scene), _one(scale, scene)]


@contextmanager
def _scene() -> Iterator[Scene]:
    with QuietDaemon(counts=TIME) as daemon, daemon.client() as client:
        parents = tuple(daemon.hire(client, CALLERS // PARENTS) for _ in range(PARENTS))
        with bare(daemon.folder, {}) as path:
            yield Scene(daemon, client, parents, path)


def _many(scale: Scale, scene: Scene) -> Row:
    ours, echo = scene.makes(), [ws_caller(CALL, path=b"/echo")] * CALLERS
    found: Series = {"ours": [], "ceiling": [], "as_much": []}
    spending = Spending(scene)
    for _ in range(scale.rounds):
        found["ceiling"].append(rate(scene.echo, echo, scale.round_s))
        with spending.round():
            found["ours"].append(rate(scene.daemon.socket, ours, scale.round_s))
        found["as_much"].append(_bare_commit_ms(scene, spending.commit_bytes))
    echo_us, bare_ms = 1e6 / median(found["ceiling"]), median(found["as_much"])
    note = f"{spending.words()}; a bare one of as much {bare_ms:.2f} ms; an echo {echo_us:.0f} µs"
    what = f"durable reports, {CALLERS} callers"
    row = Row(ROWS[0], what, f"≥ {NEEDED} × bare echo", unit="/s", note=note)
    return compared(row, found, at_least=NEEDED)


def _one(scale: Scale, scene: Scene) -> Row:
    (ours, *_), echo = scene.makes(), ws_caller(CALL, path=b"/echo")
    found: Series = {"ours": [], "echo": [], "commit": [], "as_much": []}
    spending = Spending(scene)
    for _ in range(scale.rounds):
        found["echo"].append(median(times_ms(scene.echo, echo, scale.round_s)))
        found["commit"].append(_bare_commit_ms(scene, len(CALL)))
        with spending.round():
            found["ours"].append(median(times_ms(scene.daemon.socket, ours, scale.round_s)))
        found["as_much"].append(_bare_commit_ms(scene, spending.commit_bytes))
    found["ceiling"] = [a + b for a, b in zip(found["echo"], found["commit"], strict=True)]
    note = (
        f"echo {median(found['echo']):.3f} ms, commit {median(found['commit']):.3f} ms;"
        f" {spending.words()}; a bare one of as much {median(found['as_much']):.2f} ms"
    )
    target = f"≤ {SLOWER:.0f} × (echo + commit)"
    row = Row(ROWS[1], "durable report, 1 caller, p50", target, "ms", note=note)
    return compared(row, found, at_most=SLOWER)


def _bare_commit_ms(scene: Scene, size: int) -> float:
    """Give the median time of commits of one row of so many bytes, in a store of its own."""
    path = scene.daemon.folder / "bare.sqlite"
    with closing(_bare_store(path)) as db:
        return median(_commit_ms(db, CALL[:1] * size) for _ in range(COMMITS))


def _bare_store(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None)
    for pragma in ("locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = FULL"):
        db.execute(f"PRAGMA {pragma}")
    db.execute("CREATE TABLE IF NOT EXISTS events (seq INTEGER PRIMARY KEY, body BLOB)")
    return db


def _commit_ms(db: sqlite3.Connection, body: bytes) -> float:
    begin = time.perf_counter()
    db.execute("BEGIN IMMEDIATE")
    db.execute("INSERT INTO events (body) VALUES (?)", (body,))
    db.execute("COMMIT")
    return (time.perf_counter() - begin) * 1_000
