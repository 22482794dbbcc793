"""What every scenario ends with: nothing lives on, nothing is torn, a restart changes nothing."""

import json
import os
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

from tests.support.daemon import Daemon

PROC = Path("/proc")
SLACK = 5
"""Descriptors more than at the start: connections of the last calls, a page being written."""

WITHIN_S = 5.0
"""How long the last processes and descriptors may take to go on a busy machine."""

POLL_S = 0.02


def descriptors(daemon: Daemon) -> int:
    """Count what a daemon holds open now."""
    assert daemon.process is not None
    return len(os.listdir(PROC / str(daemon.process.pid) / "fd"))


def marked(nodes: Collection[str]) -> dict[int, str]:
    """Find every living process that was started for one of these nodes."""
    marks = {f"SUBSESSION_NODE={node}".encode(): node for node in nodes}
    found: dict[int, str] = {}
    for pid in (int(name) for name in os.listdir(PROC) if name.isdecimal()):
        try:
            words = (PROC / str(pid) / "environ").read_bytes().split(b"\0")
        except OSError:  # gone, or a zombie
            continue
        found.update((pid, marks[word]) for word in words if word in marks)
    return found


def zombies(daemon: Daemon) -> list[int]:
    """List ended processes that the daemon has not waited for."""
    assert daemon.process is not None
    found = []
    for tasks in (PROC / str(daemon.process.pid) / "task").glob("*/children"):
        for pid in map(int, tasks.read_text().split()):
            try:
                state = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            found += [pid] if state == "Z" else []
    return found


def bad_lines(daemon: Daemon, damaged: Collection[str] = ()) -> list[str]:
    """List journal lines that do not parse, but those that a test spoiled itself.

    Args:
        daemon: whose workspace.
        damaged: `name:line` of lines that the test planted.
    """
    bad = []
    for path in sorted((daemon.workspace / ".subsession" / "journals").glob("*.jsonl")):
        raw = path.read_bytes()
        bad += [f"{path.name} ends without a newline"] if raw and not raw.endswith(b"\n") else []
        for n, line in enumerate(raw.splitlines(), 1):
            try:
                whole = isinstance(json.loads(line), dict)
            except ValueError:
                whole = False
            spot = f"{path.name.removesuffix('.journal.jsonl')}:{n}"
            bad += [] if whole or spot in damaged else [spot]
    return bad


def check_closing(
    daemon: Daemon, *, descriptors_before: int | None = None, damaged: Collection[str] = ()
) -> dict[str, Any]:
    """End what lives, look for everything that may be left, and start the daemon once more.

    Args:
        daemon: it runs, and it runs when this returns.
        descriptors_before: what it held before the scenario began.
        damaged: `node:line` of journal lines that the scenario spoiled.

    Returns:
        The rows after the restart, by node id.
    """
    rows = daemon.rows()
    running = counted(daemon)
    for row in running:
        daemon.call("subsession.cancel", nodeId=row["nodeId"])
    within(lambda: [r for r in daemon.rows().values() if _is_stopping(r)], "nodes not released")
    within(lambda: marked(rows), "processes of nodes")
    within(lambda: zombies(daemon), "zombies")
    if descriptors_before is not None:
        within(
            lambda: max(0, descriptors(daemon) - descriptors_before - SLACK),
            "descriptors more than before",
        )
    before = daemon.rows()
    assert daemon.stop() == 0, daemon.said()
    assert bad_lines(daemon, damaged) == []
    daemon.start()
    after = daemon.rows()
    assert after == before
    return after


LIVE = ("claimed", "running")


def counted(daemon: Daemon) -> list[dict[str, Any]]:
    """List the running nodes, and see that the daemon counts as many at that very moment."""
    while True:
        tree, stats = daemon.call("subsession.tree"), daemon.call("daemon.stats")
        if tree["seq"] == stats["seq"]:
            running = [r for r in tree["rows"] if "parentId" in r and r["state"] in LIVE]
            assert stats["live"] == len(running)
            return running


def _is_stopping(row: dict[str, Any]) -> bool:
    return "parentId" in row and row["state"] != "released" and not row.get("leftovers")


def within(look: Any, what: str, seconds: float = WITHIN_S) -> None:
    """Look until nothing is found; the world outside sends no event when it is done."""
    until = time.monotonic() + seconds
    while found := look():
        assert time.monotonic() < until, f"{what}: {found}"
        time.sleep(POLL_S)
