"""Daemons for measuring: real ones, each in a process and folder of its own."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from scripts.measure import inside
from subsession.client import Client
from tests.support.daemon import Daemon

START_S = 60.0
TIME, MEMORY = "time", "memory"
"""What a daemon may count."""
SCRIPT = {"steps": [{"awaitPrompt": True}]}
"""What a quiet child does: wait for somebody to say something, and nobody does."""

_LIMITS = """
[limits]
live_per_parent = "unlimited"
live_per_tree = "unlimited"
live_total = "unlimited"
spawns_per_tree = "unlimited"
spawn_burst = 1_000_000
spawns_per_second = 1_000_000
root_token_cap = 1_000_000_000_000
findings_delivered = 1_000_000_000
"""

_AGENTS = """
[tiers]
command = "command"
worker = "quiet"

[agents.command]
runner = "command"
takes_operator_argv = true
takes_schema = false

[agents.quiet]
runner = "scripted"
command = ["{script}"]
"""


class QuietDaemon(Daemon):
    """A daemon without limits whose workers are quiet children inside it, with known tokens.

    Args:
        starts: whether the context begins with a running daemon.
        more: lines added to its main table.
        counts: whether it counts what it spends (`inside`); with memory where that is named.
    """

    def __init__(self, *, starts: bool = True, more: str = "", counts: str = "") -> None:
        super().__init__(config={"subsessiond.toml": _LIMITS + more})
        self._starts = starts
        self._counts = counts
        script = self.folder / "quiet.json"
        script.write_text(json.dumps(SCRIPT), "utf-8")
        agents = _AGENTS.format(script=script)
        (self.config / "agents.toml").write_text(agents, "utf-8")
        self.tokens = self.folder / "tokens"
        self._roots: set[str] = set()

    def __enter__(self) -> Self:
        return self.start() if self._starts else self

    def launch(self) -> subprocess.Popen[bytes]:
        """Start it with the id source that writes tokens down."""
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "scripts.measure.known_tokens", "serve"],
                env={**environment(self), "MEASURE_TOKENS": str(self.tokens), **self._counting()},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        return self.process

    def hire(self, client: Client, count: int) -> str:
        """Open a root with so many running children; gives the root's id."""
        root = client.call("subsession.open", {"workspace": str(self.workspace)})
        self._roots.add(root["token"])
        order = {
            "parentId": root["nodeId"],
            "role": "worker",
            "brief": {"mission": "Wait.", "tokenCap": 20_000},
            "waitMs": 0,
        }
        for n in range(count):
            client.call("subsession.spawn", {**order, "waitMs": 20_000 if n == count - 1 else 0})
        return str(root["nodeId"])

    def _counting(self) -> dict[str, str]:
        found = {inside.WHERE: str(self.folder / "inside")} if self._counts else {}
        return {**found, inside.MEMORY: "1"} if self._counts == MEMORY else found

    def spent(self) -> dict[str, Any]:
        """Ask what it has spent so far, where; it has to count."""
        path, until = self.folder / "inside", time.perf_counter() + START_S
        path.unlink(missing_ok=True)
        os.kill(pid_of(self), inside.ASK)
        while not path.exists():
            if time.perf_counter() > until:
                raise RuntimeError("the daemon does not say what it has spent")
            # Why polling: a file that comes cannot be waited for.
            time.sleep(0.002)
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return found

    def child_tokens(self) -> list[str]:
        """Give the tokens of all children so far."""
        return [t for t in self.tokens.read_text("ascii").split() if t not in self._roots]


def environment(daemon: Daemon) -> dict[str, str]:
    """Give the environment in which that daemon is the user's own."""
    plain = {k: v for k, v in os.environ.items() if not k.startswith("SUBSESSION_")}
    return {
        **plain,
        "SUBSESSION_STATE_DIR": str(daemon.state),
        "SUBSESSION_CONFIG_DIR": str(daemon.config),
    }


def pid_of(daemon: Daemon) -> int:
    """Give the number of its process."""
    assert daemon.process is not None
    return daemon.process.pid


def until_answer_ms(daemon: Daemon) -> float:
    """Start a daemon and time it until its first answer."""
    began = time.perf_counter()
    process = daemon.launch()
    while not answers(daemon.socket):
        if process.poll() is not None:
            raise RuntimeError(f"the daemon ended: {daemon.said()}")
        if time.perf_counter() - began > START_S:
            raise RuntimeError(f"the daemon did not answer within {START_S} s: {daemon.said()}")
        # Why polling: nothing of a process that is coming up can be waited for from here.
        time.sleep(0.002)
    return (time.perf_counter() - began) * 1_000


def answers(path: Path) -> bool:
    """Ask for the daemon's health once, by plain bytes."""
    call = b'{"jsonrpc":"2.0","method":"daemon.health","id":1}'
    head = b"POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    with socket.socket(socket.AF_UNIX) as sock:
        sock.settimeout(START_S)
        try:
            sock.connect(str(path))
            sock.sendall(head + b"Content-Length: %d\r\n\r\n" % len(call) + call)
            return b'"ok":true' in sock.recv(4_096)
        except OSError:
            return False


@contextmanager
def bare(folder: Path, results: dict[str, Any], port: int = 0) -> Iterator[Path]:
    """Run the ceiling with these answers by method; gives its socket.

    Args:
        folder: Holds what it needs.
        results: The answers.
        port: Of loopback, where it is to listen at one instead.
    """
    path, known = folder / "bare.sock", folder / "answers.json"
    known.write_text(json.dumps(results), "utf-8")
    where = port or path
    order = [sys.executable, "-m", "scripts.measure.bare", str(where), str(known)]
    process = subprocess.Popen(order, stdin=subprocess.DEVNULL)
    try:
        until = time.perf_counter() + START_S
        while not _listens(where) and process.poll() is None and time.perf_counter() < until:
            time.sleep(0.01)
        yield path
    finally:
        process.kill()
        process.wait()
        path.unlink(missing_ok=True)


def _listens(where: Path | int) -> bool:
    if isinstance(where, Path):
        return where.exists()
    with socket.socket() as sock:
        return sock.connect_ex(("127.0.0.1", where)) == 0
