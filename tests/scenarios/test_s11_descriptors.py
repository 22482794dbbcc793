"""S11: descriptors do not add up, and a daemon without any refuses a start and goes on.

The full count of cycles runs with SCENARIO_CYCLES=full. Not yet: the page at the limit.
"""

import json
import os
import resource
import socket
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from subsession.errors import Refused
from tests.support.closing import check_closing, descriptors, marked, within, zombies
from tests.support.daemon import Daemon
from tests.support.hire import CONFIG, StandIn, hire, wait_for

FULL = os.environ.get("SCENARIO_CYCLES") == "full"
CYCLES = 500 if FULL else 60
LIMIT = 128
SLACK = 5
LIMITS = (
    "[limits]\nspawn_burst = 100_000\nspawns_per_second = 100_000\nspawns_per_tree = 100_000\n"
    "[processes]\nterm_grace_ms = 300\n"
)
NARROW = ("prlimit", f"--nofile={LIMIT}:{LIMIT}")
FLOOD = "import sys\nwhile True: sys.stdout.write('x' * 65536)"
ASK = (
    b"POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: 54\r\n\r\n"
    b'{"jsonrpc":"2.0","id":1,"method":"daemon.health"}     '
)
SCRIPT = {"steps": [{"report": {"output": "done", "stage": "final", "outcome": "completed"}}]}


def narrow() -> Daemon:
    """A daemon that may open few files."""
    return Daemon(config={**CONFIG, "subsessiond.toml": LIMITS}, before=NARROW)


def threads(daemon: Daemon) -> int:
    """Count the threads of a daemon."""
    assert daemon.process is not None
    return len(os.listdir(f"/proc/{daemon.process.pid}/task"))


def cycle(daemon: Daemon, root: str, n: int) -> None:
    """Start one child and see it end, each time in another way."""
    match n % 5:
        case 0:
            node = hire(daemon, root, "true")
        case 1:
            node = hire(daemon, root, "sh", "-c", "echo words; echo errors >&2; exit 3")
        case 2:
            node = hire(daemon, root, sys.executable, "-c", FLOOD)
            daemon.call("subsession.cancel", nodeId=node)
        case 3:
            brief = {"mission": json.dumps(SCRIPT)}
            order = {"parentId": root, "role": "script", "brief": brief}
            node = daemon.call("subsession.spawn", **order)["nodeId"]
        case _:
            with pytest.raises(Refused, match="START_FAILED") as said:
                hire(daemon, root, "/no/such/program")
            node = said.value.refusal.sibling or ""
    wait_for(daemon, node, "released")


@pytest.mark.scenario("S11")
@pytest.mark.timeout(600 if FULL else 60)
def test_cycles_of_children_leave_no_descriptor() -> None:
    """Children that end in every way leave descriptors, threads and processes as they were."""
    with narrow() as daemon:
        root = daemon.open()
        for n in range(5):  # what is opened once and kept
            cycle(daemon, root, n)
        before, workers = descriptors(daemon), threads(daemon)
        for n in range(CYCLES):
            cycle(daemon, root, n)
        within(lambda: descriptors(daemon) > before + SLACK, "descriptors are left")
        within(lambda: zombies(daemon), "zombies")
        assert threads(daemon) <= workers + 1
        assert daemon.call("daemon.stats")["live"] == 0
        check_closing(daemon, descriptors_before=before)


@contextmanager
def crowded(daemon: Daemon) -> Iterator[None]:
    """Let a daemon open nothing more: every number below its limit is taken."""
    assert daemon.process is not None
    pid = daemon.process.pid
    taken = {int(name) for name in os.listdir(f"/proc/{pid}/fd")}
    free = next(number for number in count() if number not in taken)
    soft, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (free, hard))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.scenario("S11")
def test_a_start_without_descriptors_fails_whole_and_the_rest_goes_on() -> None:
    """At the limit a spawn fails as a start, leaves nothing, and works again with room."""
    with narrow() as daemon:
        root = daemon.open()
        brief = {"mission": "m", "ownedGlobs": ["src/**"]}
        order: dict[str, Any] = {"parentId": root, "role": "hand", "brief": brief}
        order |= {"argv": ["sleep", "600"], "waitMs": 20_000}
        with StandIn.hire(daemon, root) as child, daemon.client() as client:
            client.connect()
            child.connect()
            before = descriptors(daemon)
            with crowded(daemon):
                with pytest.raises(Refused) as said:
                    client.call("subsession.spawn", order)
                assert (said.value.refusal.code, said.value.refusal.step) == (
                    *("START_FAILED", "start"),
                )
                failed = said.value.refusal.sibling or ""
                rows = client.call("subsession.tree", {})["rows"]
                row = next(row for row in rows if row["nodeId"] == failed)
                assert (row["state"], row["reason"]) == ("released", "start-failed")
                assert client.call("daemon.stats", {})["live"] == 1
                assert marked([failed]) == {}
                said_as = child.report("still heard", stage="finding")["messageId"]
                mail = client.call("subsession.inbox", {"nodeId": root})["messages"]
                assert said_as in [message["messageId"] for message in mail]
                child.checkpoint("crowded", "no file can be opened", "go on")
            within(lambda: descriptors(daemon) > before + SLACK, "descriptors are left")
            node = client.call("subsession.spawn", order)["nodeId"]
            assert client.call("subsession.node", {"nodeId": node})["row"]["state"] == "running"
            child.checkpoint("roomy", "files can be opened again", "go on")
        within(lambda: written(daemon, child.node_id) < 2, "checkpoints are not in the journal")
        check_closing(daemon)


def written(daemon: Daemon, node: str) -> int:
    """Count the checkpoints in a journal."""
    path = daemon.workspace / ".subsession" / "journals" / f"{node}.journal.jsonl"
    lines = Path(path).read_bytes().splitlines() if path.exists() else []
    return sum(json.loads(line)["kind"] == "checkpoint" for line in lines)


@pytest.mark.scenario("S11")
def test_a_newcomer_is_served_when_there_is_room_again() -> None:
    """A caller that came while no descriptor was free is answered once some are."""
    with narrow() as daemon:
        with closing(socket.socket(socket.AF_UNIX)) as late:
            late.settimeout(10)
            with crowded(daemon):
                late.connect(str(daemon.socket))
                late.sendall(ASK)
            answer = late.recv(65_536)
        assert answer.startswith(b"HTTP/1.1 200 OK")
        assert b'"ok":true' in answer
        check_closing(daemon)
