"""One hostile child tries to make the daemon slow, large or deaf for everybody else."""

import resource
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from tests.support.daemon import Daemon
from tests.support.hire import CONFIG, hire, wait_file
from tests.support.tables import tables
from tests.support.yard import Speaker, refusal_of, scenario

LIMIT_S = 0.25
"""How long anybody else's call may take beside an attack; unharmed it takes a few ms."""

FAT_LINE = """
import os, socket, subprocess, sys
left = int(sys.argv[1])
if left:
    os.environ.pop("SUBSESSION_NODE", None)
    fat = dict(os.environ) | {f"FAT{i}": "x" * 100_000 for i in range(15)}
    sys.exit(subprocess.call([sys.executable, "-I", "-S", sys.argv[0], str(left - 1)], env=fat))
body = b'{"jsonrpc":"2.0","id":1,"method":"daemon.health"}'
head = b"POST /rpc HTTP/1.1\\r\\nHost: d\\r\\nContent-Type: application/json\\r\\n"
open("ready", "w").write("ready")
while True:
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(os.environ["SUBSESSION_SOCKET"])
        sock.sendall(head + b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
        sock.recv(1_000)
"""


HOLD = """
import os, resource, socket, time
resource.setrlimit(resource.RLIMIT_NOFILE, (4_096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
def connect(words):
    sock = socket.socket(socket.AF_UNIX)
    sock.connect(os.environ["SUBSESSION_SOCKET"])
    sock.sendall(words)
    return sock
held = [connect(b"POST /rpc HT") for _ in range(2_000)]
last = connect(b"POST /nowhere HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 0\\r\\n\\r\\n")
try:
    last.recv(1)  # answered or sent away: all before it were let in
except ConnectionError:
    pass
open("ready", "w").write("ready")
time.sleep(600)
"""


@contextmanager
def few_descriptors() -> Iterator[None]:
    """Let what is started now have few descriptors."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (512, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def slowest_s(daemon: Daemon, calls: int = 20) -> float:
    """Take the slowest of the person's calls, each on a connection of its own."""
    took = []
    for _ in range(calls):
        began = time.monotonic()
        daemon.call("daemon.health")
        took.append(time.monotonic() - began)
    # Why not the very slowest: one hiccup of the machine is no attack.
    return sorted(took)[-2]


@pytest.mark.scenario("S20")
def test_large_environments_of_many_ancestors_hold_up_nobody() -> None:
    """A caller below eighty processes with megabytes of environment each is looked at quickly."""
    with Daemon(config=CONFIG) as daemon:
        (daemon.workspace / "fat.py").write_text(FAT_LINE)
        hire(daemon, daemon.open(), sys.executable, "-I", "-S", "fat.py", "80")
        wait_file(daemon.workspace / "ready")
        assert slowest_s(daemon) < LIMIT_S


@pytest.mark.scenario("S20")
def test_idle_connections_of_a_child_lock_nobody_out() -> None:
    """A child that connects two thousand times and says nothing takes no place from the person."""
    with few_descriptors(), Daemon(config=CONFIG) as daemon:
        (daemon.workspace / "hold.py").write_text(HOLD)
        hire(daemon, daemon.open(), sys.executable, "-I", "-S", "hold.py")
        wait_file(daemon.workspace / "ready")
        for _ in range(20):
            assert daemon.call("daemon.health")["ok"]


HOSTILE_END = """
import os, sys, time
while not os.path.exists("go"):
    time.sleep(0.01)
sys.stdout.write("API_KEY=x\\n" * 13_000)
sys.stderr.write("API_KEY=x\\n" * 6_500)
sys.exit(1)
"""
"""Ends with what takes the longest to be looked through for secrets."""

TOGETHER = 8
END_LIMIT_S = 1.0
"""Looked through on the loop, so many took several times as long."""


def test_ends_that_are_full_of_secrets_hold_up_nobody() -> None:
    """They are made readable beside the loop, one after another, and all of them are."""
    main = f"[limits]\nlive_per_parent = {TOGETHER}\n"
    with Daemon(config={**CONFIG, "subsessiond.toml": main}) as daemon:
        root = daemon.open()
        brief = {"tokenCap": 75_000, "reportContract": {"maxReportTokens": 8_000}}
        words = (sys.executable, "-c", HOSTILE_END)
        nodes = [hire(daemon, root, *words, brief=brief) for _ in range(TOGETHER)]
        worst, until = 0.0, time.monotonic() + 20
        (daemon.workspace / "go").touch()
        with daemon.client() as client:
            while not all(daemon.rows()[node]["state"] == "released" for node in nodes):
                assert time.monotonic() < until
                began = time.monotonic()
                client.call("daemon.health", {})
                worst = max(worst, time.monotonic() - began)
        assert worst < END_LIMIT_S
        for node in nodes:
            shown = daemon.call("subsession.node", nodeId=node)["envelope"]
            assert "=x" not in shown["output"] + shown["diagnostic"]


FINALS = 10
"""Of each child; twenty that are refused would end it."""


def test_finals_made_to_explode_in_their_schema_hold_up_nobody() -> None:
    """They are judged beside the loop, one at a time, each within a bound, and refused by it."""
    deep: dict[str, Any] = {"type": "integer"}
    for _ in range(8):
        deep = {"anyOf": [deep, deep]}
    brief = {
        "tokenCap": 75_000,
        "reportContract": {"maxReportTokens": 8_000, "outputSchema": {"items": deep}},
    }
    final = {"stage": "final", "outcome": "completed", "structured": ["x"] * 4_000}
    with scenario(tables(live_per_parent=10, spawn_burst=20)) as yard:
        children = [yard.speaker("strict", brief=brief) for _ in range(4)]
        with ThreadPoolExecutor() as pool, yard.client() as client:
            calls = [pool.submit(hammer, child, final) for child in children]
            worst = 0.0
            while not all(call.done() for call in calls):
                began = time.monotonic()
                client.call("daemon.health", {})
                worst = max(worst, time.monotonic() - began)
            told = {code for call in calls for code in call.result()}
        assert told == {"OUTPUT_SCHEMA"}
        assert worst < END_LIMIT_S


def hammer(child: Speaker, final: dict[str, Any]) -> list[str]:
    """Send finals that are refused; gives why."""
    return [refusal_of(child.report, "x", **final).code for _ in range(FINALS)]
