"""Durable reports over WebSocket, by 64 callers and by one."""

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from scripts.measure.daemons import QuietDaemon, bare
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

    def read_mail(self) -> None:
        """Take what was reported out of the mailboxes, as parents do."""
        for parent in self.parents:
            given = {"nodeId": parent, "maxTokens": PAGE_TOKENS}
            page = self.client.call("subsession.inbox", given)
            while page["messages"]:
                read = [message["messageId"] for message in page["messages"]]
                page = self.client.call("subsession.inbox", {**given, "acknowledge": read})


def measure(scale: Scale) -> list[Row]:
    """Measure both."""
    with _scene() as scene:
        return [_many(scale, scene), _one(scale, scene)]


@contextmanager
def _scene() -> Iterator[Scene]:
    with QuietDaemon() as daemon, daemon.client() as client:
        parents = tuple(daemon.hire(client, CALLERS // PARENTS) for _ in range(PARENTS))
        with bare(daemon.folder, {}) as path:
            yield Scene(daemon, client, parents, path)


def _many(scale: Scale, scene: Scene) -> Row:
    ours, echo = scene.makes(), [ws_caller(CALL, path=b"/echo")] * CALLERS
    found: Series = {"ours": [], "ceiling": []}
    for _ in range(scale.rounds):
        found["ceiling"].append(rate(scene.echo, echo, scale.round_s))
        found["ours"].append(rate(scene.daemon.socket, ours, scale.round_s))
        scene.read_mail()
    what = f"durable reports, {CALLERS} callers"
    row = Row(ROWS[0], what, f"≥ {NEEDED} × bare echo", unit="/s")
    return compared(row, found, at_least=NEEDED)


def _one(scale: Scale, scene: Scene) -> Row:
    (ours, *_), echo = scene.makes(), ws_caller(CALL, path=b"/echo")
    found: Series = {"ours": [], "echo": [], "commit": []}
    with closing(_bare_store(scene.daemon.folder / "bare.sqlite")) as db:
        for _ in range(scale.rounds):
            found["echo"].append(median(times_ms(scene.echo, echo, scale.round_s)))
            found["commit"].append(median(_commit_ms(db) for _ in range(COMMITS)))
            found["ours"].append(median(times_ms(scene.daemon.socket, ours, scale.round_s)))
            scene.read_mail()
    found["ceiling"] = [a + b for a, b in zip(found["echo"], found["commit"], strict=True)]
    note = f"echo {median(found['echo']):.3f} ms, commit {median(found['commit']):.3f} ms"
    target = f"≤ {SLOWER:.0f} × (echo + commit)"
    row = Row(ROWS[1], "durable report, 1 caller, p50", target, "ms", note=note)
    return compared(row, found, at_most=SLOWER)


def _bare_store(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None)
    for pragma in ("locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = FULL"):
        db.execute(f"PRAGMA {pragma}")
    db.execute("CREATE TABLE events (seq INTEGER PRIMARY KEY, body BLOB)")
    return db


def _commit_ms(db: sqlite3.Connection) -> float:
    begin = time.perf_counter()
    db.execute("BEGIN IMMEDIATE")
    db.execute("INSERT INTO events (body) VALUES (?)", (CALL,))
    db.execute("COMMIT")
    return (time.perf_counter() - begin) * 1_000
