"""Our side of one child that an ACP agent works for, with our MCP server, per kind of container.

The ceiling is the same agent spoken to directly, without a daemon and without our server: what is
left over is ours.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

from scripts.measure.daemons import environment, pid_of
from scripts.measure.processes import pss_by_pid, pss_kib
from scripts.measure.table import Row, Scale, in_turns, limited, timed_ms
from subsession.client import Client
from subsessiond.adapters.processes import available_containers
from subsessiond.model.process import ContainerKind
from tests.support.acting import ROOT, config
from tests.support.daemon import Daemon

KINDS = tuple(str(k) for k in (ContainerKind.CGROUP, ContainerKind.PIDNS, ContainerKind.DESCENT))
ROWS = tuple(f"agent-{kind}-{what}" for kind in KINDS for what in ("time", "memory"))
TIME_MS = 150.0
MEMORY_MIB = 25.0
WAIT_MS = 20_000
FINAL = {"report": {"output": "done", "stage": "final", "outcome": "completed"}}
CLIENT = {"fs": {"readTextFile": False, "writeTextFile": True}, "terminal": False}


def measure(scale: Scale) -> list[Row]:
    """Measure each kind."""
    here = available_containers()
    return [row for kind in KINDS for row in _kind(scale, kind, works=kind in here)]


def _kind(scale: Scale, kind: str, *, works: bool) -> list[Row]:
    spent = Row(
        f"agent-{kind}-time", f"one ACP child in {kind}, our time", f"≤ {TIME_MS:.0f} ms", "ms"
    )
    held = Row(f"agent-{kind}-memory", "  our memory", f"≤ {MEMORY_MIB:.0f} MiB", "MiB")
    if not works:
        why = "not measured: this user cannot use it on this machine"
        return [Row(r.name, r.what, r.target, r.unit, note=why) for r in (spent, held)]
    tables = config(worker={"turns": [[FINAL]]}, quiet={"turns": [[{"hang": 1}]]})
    main = tables["subsessiond.toml"]
    tables["subsessiond.toml"] = main.replace(
        "[processes]\n", f'[processes]\ncontainer = "{kind}"\n'
    )
    with Daemon(config=tables) as daemon, daemon.client() as client:
        root = str(client.call("subsession.open", {"workspace": str(daemon.workspace)})["nodeId"])
        return [_time(scale, spent, daemon, client, root), _memory(held, daemon, client, root)]


def _time(scale: Scale, row: Row, daemon: Daemon, client: Client, root: str) -> Row:
    """Time from the call to the final in the mailbox, less the agent alone."""
    found = in_turns(
        3 * scale.few,
        ceiling=lambda: timed_ms(lambda: _alone(daemon)),
        ours=lambda: _run(client, root),
    )
    whole, alone = median(found["ours"]), median(found["ceiling"])
    note = f"{whole:.0f} ms from the call to the final; the agent alone {alone:.0f} ms"
    ours = whole - alone
    return limited(Row(row.name, row.what, row.target, row.unit, note=note), ours, TIME_MS)


def _run(client: Client, root: str) -> float:
    """Hire one and time it until its final is in the mailbox; it is gone when this returns."""
    begin = time.perf_counter()
    child = _spawn(client, root, "worker")
    page = client.call("subsession.inbox", {"nodeId": root, "waitMs": WAIT_MS})
    took = (time.perf_counter() - begin) * 1_000
    read = [message["messageId"] for message in page["messages"]]
    if len(read) != 1:
        raise RuntimeError(f"one report was expected, {len(read)} came")
    client.call("subsession.inbox", {"nodeId": root, "acknowledge": read})
    _until_released(client, child)
    return took


def _until_released(client: Client, child: str) -> None:
    """Wait until nothing is left of a child, which would stand in the way of the next."""
    page = client.call("subsession.tree", {})
    while not any(r["nodeId"] == child and r["state"] == "released" for r in page["rows"]):
        since = {"sinceSeq": page["seq"], "waitMs": WAIT_MS}
        page = client.call("subsession.tree", since)


def _spawn(client: Client, root: str, role: str, **more: Any) -> str:
    given = {"parentId": root, "role": role, "brief": {"mission": "Go.", "tokenCap": 20_000}}
    return str(client.call("subsession.spawn", {**given, **more})["nodeId"])


@contextmanager
def _agent(daemon: Daemon, steps: dict[str, Any]) -> Iterator["subprocess.Popen[bytes]"]:
    """Run the agent by itself, in its first turn."""
    script = json.dumps({"turns": [[steps]]})
    order = [sys.executable, "-m", "tests.support.agents.acp_agent", script]
    env = environment(daemon) | {"PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    with subprocess.Popen(order, stdin=pipe, stdout=pipe, cwd=daemon.workspace, env=env) as agent:
        try:
            able = {"protocolVersion": 1, "clientCapabilities": CLIENT}
            _ask(agent, 1, "initialize", able)
            _hear(agent)
            _ask(agent, 2, "session/new", {"cwd": str(daemon.workspace), "mcpServers": []})
            session = _hear(agent)["sessionId"]
            text = [{"type": "text", "text": "Go."}]
            _ask(agent, 3, "session/prompt", {"sessionId": session, "prompt": text})
            yield agent
        finally:
            agent.kill()


def _alone(daemon: Daemon) -> None:
    with _agent(daemon, FINAL) as agent:
        _hear(agent)


def _ask(agent: "subprocess.Popen[bytes]", number: int, method: str, params: Any) -> None:
    assert agent.stdin is not None
    call = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    agent.stdin.write(json.dumps(call).encode() + b"\n")
    agent.stdin.flush()


def _hear(agent: "subprocess.Popen[bytes]") -> Any:
    """Give the next answer."""
    assert agent.stdout is not None
    for line in agent.stdout:
        if "result" in (frame := json.loads(line)):
            return frame["result"]
    raise RuntimeError("the agent ended without an answer")


def _memory(row: Row, daemon: Daemon, client: Client, root: str) -> Row:
    """Count what a child adds: processes of ours around its agent, and growth of the daemon."""
    pid = pid_of(daemon)
    before = pss_by_pid(pid)
    child = _spawn(client, root, "quiet", waitMs=WAIT_MS)
    time.sleep(0.5)  # what the start needed for a moment is given back
    after = pss_by_pid(pid)
    with _agent(daemon, {"hang": 1}) as agent:
        time.sleep(0.5)
        program = pss_kib(agent.pid)
    client.call("subsession.cancel", {"nodeId": child})
    grown = (sum(after.values()) - sum(before.values()) - program) / 1_024
    count = len(after) - len(before) - 1
    note = f"{count} processes of ours; the daemon grew by {after[pid] - before[pid]:.0f} KiB"
    return limited(Row(row.name, row.what, row.target, row.unit, note=note), grown, MEMORY_MIB)
