"""A child's agent reports through the real shim to a real daemon, and so does nobody else."""

import json
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from subsessiond.adapters.processes import available_containers
from subsessiond.parts import shim_command
from tests.support.daemon import Daemon
from tests.support.hire import CONFIG, hire, wait_file, wait_for
from tests.support.mcp_agent import Shimmed

AGENT = Path(__file__).parents[1] / "support" / "agents" / "mcp_child.py"
KINDS = ("cgroup", "pidns", "descent")
MIB = 1024 * 1024


def config(kind: str) -> dict[str, str]:
    """One kind of container; skips where there is no such kind."""
    if kind not in available_containers():
        pytest.skip(f"this user cannot make a {kind} container on this machine")
    return {**CONFIG, "subsessiond.toml": f'[processes]\ncontainer = "{kind}"\n'}


@pytest.fixture(scope="module")
def daemon() -> Iterator[Daemon]:
    """Give a daemon with a root."""
    with Daemon(config=CONFIG) as made:
        yield made


def lines(*calls: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Make what an agent writes: a handshake, a look at the tools, these calls of tools."""
    head = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t"}}
    requests = [("initialize", head), ("tools/list", {})]
    requests += [("tools/call", {"name": name, "arguments": given}) for name, given in calls]
    numbered: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": n, "method": method, "params": params}
        for n, (method, params) in enumerate(requests)
    ]
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    return [numbered[0], ready, *numbered[1:]]


def agent(daemon: Daemon, name: str, requests: list[Any], *before: str) -> str:
    """Give the shell line of a child that plays an agent."""
    asked = daemon.workspace / f"{name}.asked"
    asked.write_text(json.dumps(requests))
    words = (sys.executable, AGENT, name, asked.name, *before, *shim_command(daemon.socket))
    return shlex.join(map(str, words))


def answers(daemon: Daemon, name: str) -> list[Any]:
    """Wait for what the agent was answered."""
    said: list[Any] = json.loads(wait_file(daemon.workspace / name))
    return said


REPORT = ("report", {"output": "two bugs", "stage": "finding"})
CHECKPOINT = ("subsession_checkpoint", {"phase": "a", "state": "b", "nextStep": "c"})
FINAL = ("report", {"output": "all done", "stage": "final", "outcome": "completed"})
BAD = ("report", {"output": "x", "stage": "final"})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("before", [(), ("--group",)], ids=["plain", "grouped"])
def test_a_child_is_known_by_its_process_alone(kind: str, before: tuple[str, ...]) -> None:
    """No environment, a group of its own, any container: its report is its own and settles it."""
    with Daemon(config=config(kind)) as daemon:
        root = daemon.open()
        line = agent(daemon, "out", lines(REPORT, BAD, CHECKPOINT, FINAL), *before)
        child = hire(daemon, root, "sh", "-c", f"{line}; sleep 600")
        hello, listed, report, bad, checkpoint, final = answers(daemon, "out")
        assert hello["result"]["protocolVersion"] == "2025-06-18"
        tools = [tool["name"] for tool in listed["result"]["tools"]]
        assert tools == ["report", "subsession_checkpoint"]
        assert f"as message {child}.1" in report["result"]["content"][0]["text"]
        assert bad["result"]["isError"]
        assert bad["result"]["structuredContent"]["fields"][0]["path"] == "outcome"
        pointer = checkpoint["result"]["content"][0]["text"]
        assert f".subsession/journals/{child}.journal.jsonl#" in pointer
        assert not final["result"]["isError"]
        assert wait_for(daemon, child)["outcome"] == "completed"
        mail = daemon.call("subsession.inbox", nodeId=root)["messages"]
        assert [item["text"].splitlines()[1] for item in mail] == ["two bugs", "all done"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("before", ["", "unset SUBSESSION_TOKEN; "], ids=["plain", "tokenless"])
def test_a_child_without_mcp_reports_by_its_shell(kind: str, before: str) -> None:
    """`subsession` is on its PATH and knows the socket; what the guidance says works as written,
    in the shell of an agent that hides tokens too.
    """
    with Daemon(config=config(kind)) as daemon:
        root = daemon.open()
        line = (
            "subsession checkpoint --phase a --next-step c 'b' >saved 2>&1 && "
            "subsession report --stage final --outcome completed 'what came of it' >out 2>&1; "
            "echo $? >status; sleep 600"
        )
        child = hire(daemon, root, "sh", "-c", before + line)
        assert wait_file(daemon.workspace / "status") == "0\n", (
            daemon.workspace / "out"
        ).read_text()
        assert wait_for(daemon, child)["outcome"] == "completed"
        assert f"{child}.journal.jsonl#" in (daemon.workspace / "saved").read_text()
        (mail,) = daemon.call("subsession.inbox", nodeId=root)["messages"]
        assert mail["text"].splitlines()[1] == "what came of it"


def test_the_persons_own_shim_is_nobody(daemon: Daemon) -> None:
    """A shim in no node's territory is shown no tool and is refused as data."""
    with Shimmed(daemon.socket) as shim:
        hello = shim.ask("initialize", protocolVersion="2025-11-25")["result"]
        assert "belongs to no session" in hello["instructions"]
        assert shim.ask("tools/list")["result"] == {"tools": []}
        refused = shim.tool("report", output="forged")
        assert refused["structuredContent"]["code"] == "NOT_ALLOWED"


def test_another_nodes_shim_speaks_for_that_node(daemon: Daemon) -> None:
    """Whoever starts it, and whatever it is told: the process decides whose report it is."""
    root = daemon.open()
    one = hire(daemon, root, "sleep", "600")
    line = agent(daemon, "other", lines(("report", {"output": "x", "nodeId": one}), REPORT))
    other = hire(daemon, root, "sh", "-c", f"SUBSESSION_NODE={one} {line}; sleep 600")
    _, _, forged, own = answers(daemon, "other")
    assert forged["result"]["structuredContent"]["code"] == "NOT_FOUND"
    assert f"as message {other}.1" in own["result"]["content"][0]["text"]
    assert daemon.rows()[one].get("reports", 0) == 0


def test_a_foreign_namespace_is_told_no(daemon: Daemon) -> None:
    """A process the kernel cannot place gets an error for every request, and no tool."""
    unshare = ("unshare", "--user", "--map-root-user", "--pid", "--fork")
    if subprocess.run([*unshare, "true"], check=False, capture_output=True).returncode:
        pytest.skip("this machine makes no namespaces for this user")
    with Shimmed(daemon.socket, *unshare) as shim:
        for method in ("initialize", "tools/list"):
            refused = shim.ask(method)["error"]
            assert refused["data"]["code"] == "NOT_ALLOWED"
            assert "namespace" in refused["message"]


def test_a_thousand_calls_go_through_one_shim(daemon: Daemon) -> None:
    """They are answered in order, by one process; of the words all are kept, few are delivered."""
    root = daemon.open()
    calls = [("report", {"output": f"step {n}"}) for n in range(999)]
    line = agent(daemon, "many", lines(*calls, FINAL))
    child = hire(daemon, root, "sh", "-c", f"{line}; sleep 600")
    _, _, *said = answers(daemon, "many")
    assert [answer["id"] for answer in said] == [*range(2, 1_002)]
    assert not any(answer["result"]["isError"] for answer in said)
    assert wait_for(daemon, child)["reports"] == 1_000
    assert len(daemon.call("subsession.inbox", nodeId=root)["messages"]) <= 21


def test_junk_and_long_lines_do_not_end_it(daemon: Daemon) -> None:
    """Lines that are no messages, and one of sixteen MiB, are answered; then it goes on."""
    with Shimmed(daemon.socket) as shim:
        for junk in (b"nonsense\n", b"42\n", b"\xff\n", b"[" * 9_000 + b"\n"):
            shim.send(junk)
            assert shim.hear()["error"]["code"] in (-32700, -32600)
        request = b'{"jsonrpc":"2.0","id":"big","method":"ping","params":{"x":"%b"}}'
        room = 16 * MIB - len(request % b"")
        shim.send(request % (b"x" * room) + b"\n")
        assert shim.hear() == {"jsonrpc": "2.0", "id": "big", "result": {}}
        shim.send(request % (b"x" * (room + 1)) + b"\n")
        assert shim.hear()["error"]["data"]["limit"] == 16 * MIB
        assert shim.ask("ping")["result"] == {}


def test_a_daemon_that_dies_takes_the_shim_with_it() -> None:
    """A call under way gets no answer, and the agent reads why in one line."""
    with Daemon(config=CONFIG) as daemon, Shimmed(daemon.socket) as shim:
        assert shim.ask("ping")["result"] == {}
        daemon.kill()
        assert shim.process.wait(20) == 1
        assert shim.process.stderr is not None
        said = shim.process.stderr.read().decode()
        assert said.startswith("subsession shim: cannot reach the daemon at ")
        assert said.count("\n") == 1


def test_a_daemon_that_stops_ends_its_pipes(daemon: Daemon) -> None:
    """Idle shims are told at once, and do not hold the daemon up."""
    with Daemon(config=CONFIG) as stopping, Shimmed(stopping.socket) as shim:
        assert shim.ask("ping")["result"] == {}
        began = time.monotonic()
        assert stopping.stop() == 0
        assert time.monotonic() - began < 10
        assert shim.process.wait(20) == 1


def test_a_shim_costs_as_little_as_an_interpreter(daemon: Daemon) -> None:
    """Memory and start beside a bare interpreter of the same kind; measured, with room."""
    with Shimmed(daemon.socket) as shim:
        shim.ask("ping")
        status = Path(f"/proc/{shim.process.pid}/status").read_text()
    resident = next(row for row in status.splitlines() if row.startswith("VmRSS:"))
    assert int(resident.split()[1]) <= 15 * 1024, resident
    times = []
    for _ in range(5):
        began = time.perf_counter()
        with Shimmed(daemon.socket) as shim:
            shim.ask("initialize")
            times.append(time.perf_counter() - began)
    assert min(times) < 0.5, times
