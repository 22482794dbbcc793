"""S24: many who write at once into the same and other journals never mix their lines."""

import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import msgspec
import pytest

from subsession.client import Client
from tests.support.closing import check_closing, within
from tests.support.daemon import Daemon
from tests.support.hire import CONFIG, StandIn

WRITERS = 20
BODY_BYTES = 200_000
REPORTS = 10
QUICK_S = 2.0
"""How long a report may take beside four megabytes of checkpoints, on a machine with two cores."""


def at_once(jobs: list[Callable[[], None]]) -> None:
    """Run jobs in threads that begin together."""
    gate = threading.Barrier(len(jobs))

    def begin(job: Callable[[], None]) -> None:
        gate.wait()
        job()

    threads = [threading.Thread(target=begin, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()


def lines_of(daemon: Daemon, node: str) -> list[bytes]:
    """Give the lines of a node's journal."""
    folder = Path(daemon.workspace) / ".subsession" / "journals"
    return (folder / f"{node}.journal.jsonl").read_bytes().splitlines()


@pytest.mark.scenario("S24")
@pytest.mark.timeout(60)  # four megabytes of checkpoints over twenty connections
def test_parallel_checkpoints_stand_whole_and_in_the_order_they_were_taken() -> None:
    """Twenty large checkpoints at once are twenty lines, each where its answer said."""
    with Daemon(config=CONFIG) as daemon:
        root = daemon.open()
        busy, other = StandIn.hire(daemon, root), StandIn.hire(daemon, root)
        told: dict[int, int] = {}
        slowest: list[float] = []

        def save(n: int) -> None:
            with Client(daemon.socket, token=busy.token) as client:
                state = f"{n:02d}" + "ä" * (BODY_BYTES // 2)
                told[n] = client.checkpoint("phase", state, "next")["line"]

        def report() -> None:
            for n in range(REPORTS):
                began = time.monotonic()
                other.report(f"report {n}", stage="progress")
                slowest.append(time.monotonic() - began)

        before = daemon.call("daemon.health")["seq"]
        at_once([*(partial(save, n) for n in range(WRITERS)), report])
        busy.close()
        other.close()
        within(lambda: len(lines_of(daemon, busy.node_id)) < 1 + WRITERS, "lines missing")
        assert max(slowest) < QUICK_S
        assert sorted(told.values()) == list(range(2, 2 + WRITERS))
        records = [msgspec.json.decode(line) for line in lines_of(daemon, busy.node_id)]
        assert [record["n"] for record in records] == list(range(1, len(records) + 1))
        by_line = {line: n for n, line in told.items()}
        for record in records[1:]:
            state = record["body"]["state"]
            assert state == f"{by_line[record['n']]:02d}" + "ä" * (BODY_BYTES // 2)
        assert daemon.call("daemon.health")["seq"] >= before + WRITERS + REPORTS
        check_closing(daemon)
        assert lines_in_events(daemon, busy.node_id) == sorted(told.values())


def lines_in_events(daemon: Daemon, node: str) -> list[int]:
    """Read from the store of a daemon, stopped for it, the order in which lines were taken."""
    daemon.stop()
    store = f"file:{daemon.state / 'registry.sqlite'}?mode=ro"
    wanted = "SELECT body FROM events WHERE node = ? AND type = 'CheckpointSaved' ORDER BY seq"
    with closing(sqlite3.connect(store, uri=True)) as db:
        bodies = [body for (body,) in db.execute(wanted, (node,))]
    return [msgspec.json.decode(body)["line"] for body in bodies]
