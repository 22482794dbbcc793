"""The limits of silence, as a configured daemon keeps them on a real clock."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.agents import halting
from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_for
from tests.support.tables import tables

SHORT_MS = 1_500
LONG_MS = 600_000
ROLE = """
[{name}]
tier = "{tier}"
tools = ["read"]
token_cap = 20_000
retire_timeout_ms = {silence}
tool_timeout_ms = {tool}
"""
ROLES = "".join(
    ROLE.format(name=name, tier=tier, silence=silence, tool=tool)
    for name, tier, silence, tool in (
        ("quick", "scripted", SHORT_MS, LONG_MS),
        ("tooled", "scripted", LONG_MS, SHORT_MS),
        ("patient", "scripted", LONG_MS, LONG_MS),
        ("mute", "mute", LONG_MS, LONG_MS),
    )
)
AGENTS = """
[tiers]
scripted = "scripted"
mute = "mute"

[agents.scripted]
runner = "scripted"
takes_steer = true

[agents.mute]
runner = "acp"
channel = "cli"
command = {command}
"""
MARKER = "600.51174"
WAITS: dict[str, Any] = {"awaitPrompt": True}


def steps(*signs: dict[str, Any]) -> str:
    """Write the mission of a script that gives signs and then nothing more."""
    return json.dumps({"steps": [*({"sign": sign} for sign in signs), WAITS]})


WORKS = {"sign": "session-update", "phase": "working"}
IN_TOOL = {"sign": "tool-start", "phase": "in-tool"}
LIMITED = {"sign": "retry", "phase": "rate-limited"}
ENDS: dict[str, tuple[str, dict[str, Any], str]] = {
    "silent": ("quick", {"mission": steps(WORKS)}, "retired-silent"),
    "silent in a tool": ("tooled", {"mission": steps(IN_TOOL)}, "retired-silent"),
    "over its deadline": ("patient", {"mission": steps(), "deadlineMs": SHORT_MS}, "deadline"),
    "never up": ("mute", {"mission": "x"}, "start-timeout"),
}
"""Role, brief, and what a child is settled for."""

LIVES: dict[str, tuple[str, dict[str, Any]]] = {
    "in a tool": ("quick", {"mission": steps(IN_TOOL)}),
    "between tools": ("tooled", {"mission": steps(WORKS)}),
    "rate-limited": ("quick", {"mission": steps(WORKS, LIMITED)}),
    "before its deadline": ("patient", {"mission": steps(), "deadlineMs": LONG_MS}),
}
"""Who is as silent, and goes on."""


@pytest.mark.scenario("S30")
@pytest.mark.timeout(90)  # two sweeps, five seconds apart, and the stops after them
def test_each_limit_ends_whom_it_is_for_and_nobody_else() -> None:
    """Silence, an open call, the start and the deadline each have their own; all else lives on."""
    command = [sys.executable, str(Path(halting.__file__)), "initialize", MARKER]
    config = tables(
        roles=ROLES,
        agents=AGENTS.format(command=json.dumps(command)),
        start_timeout_ms=SHORT_MS,
        live_per_parent=10,
        spawn_burst=10,
    )
    with Daemon(config=config) as daemon:
        root = daemon.open()

        def spawn(role: str, brief: dict[str, Any]) -> str:
            order = {"parentId": root, "role": role, "brief": brief}
            return str(daemon.call("subsession.spawn", **order)["nodeId"])

        ends = {name: spawn(role, brief) for name, (role, brief, _) in ENDS.items()}
        lives = {name: spawn(*order) for name, order in LIVES.items()}
        for name, node in ends.items():
            row = wait_for(daemon, node, "released", within_s=40)
            assert (name, row["outcome"], row["reason"]) == (name, "failed", ENDS[name][2])
            shown = daemon.call("subsession.node", nodeId=node)["envelope"]
            assert "its last sign of life was" in shown["output"]
            assert shown["author"] == "runtime"
        rows = daemon.rows()
        assert {name: rows[node]["state"] for name, node in lives.items()} == dict.fromkeys(
            lives, "running"
        )
        mail = daemon.call("subsession.inbox", nodeId=root)["messages"]
        assert sorted(item["senderSessionId"] for item in mail) == sorted(ends.values())
        for node in lives.values():
            daemon.call("subsession.cancel", nodeId=node)
        check_closing(daemon)
