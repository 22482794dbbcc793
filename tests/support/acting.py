"""Agents for tests: configuration in which a stub agent plays scripts, and what it heard."""

import json
import sys
from pathlib import Path
from typing import Any

from tests.support.daemon import Daemon

ROOT = Path(__file__).parents[2]
FINAL = {"report": {"stage": "final", "outcome": "completed", "output": "All done."}}
BLOCKED = {
    "report": {
        "stage": "final",
        "outcome": "blocked",
        "output": "I was refused.",
        "blockers": ["approval-required: fs write src/x.py"],
    }
}
ROLE = """
[{name}]
tier = "{name}"
depth_cap = {depth}
tools = {tools}
token_cap = 200_000
retire_timeout_ms = {retire_ms}
"""
AGENT = """
[agents.{name}]
runner = "{runner}"
command = {command}
env = {{ PYTHONPATH = {root}, SERVER = '{server}' }}
{more}
"""


SERVER = '{"command": "{shim_program}", "args": {shim_args}}'
"""Our MCP server, for an agent whose protocol does not name it."""


def config(**kinds: dict[str, Any]) -> dict[str, str]:
    """Write tables with one role, tier and agent a name.

    Args:
        kinds: What the agent of each name does beside its turns. `tools`, `depth`, `retire_ms` go
            into the role, `profile` (lines of TOML) into the agent, `before` (words) before its
            command line, `runner` (`acp`, `claude`) says what it speaks; the rest is its script.
    """
    roles, agents, tiers = "", "", "[tiers]\n"
    for name, kind in kinds.items():
        script = dict(kind)
        tools = script.pop("tools", ["read", "edit", "search"])
        depth, retire_ms = script.pop("depth", 0), script.pop("retire_ms", 600_000)
        more, before = script.pop("profile", ""), script.pop("before", [])
        runner = script.pop("runner", "acp")
        module = f"tests.support.agents.{runner}_agent"
        python = [sys.executable, "-m", module, json.dumps(script)]
        command, root = json.dumps([*before, *python]), json.dumps(str(ROOT))
        tiers += f'{name} = "{name}"\n'
        roles += ROLE.format(name=name, depth=depth, tools=json.dumps(tools), retire_ms=retire_ms)
        words = {"name": name, "runner": runner, "command": command, "root": root, "more": more}
        agents += AGENT.format(**words, server=SERVER)
    main = "[processes]\nterm_grace_ms = 400\n[limits]\nspawn_burst = 1_000\n"
    return {"roles.toml": roles, "agents.toml": tiers + agents, "subsessiond.toml": main}


def act(daemon: Daemon, parent: str, *turns: list[Any], role: str = "actor", **params: Any) -> str:
    """Start a child whose agent plays these turns, and wait until it runs; gives its id.

    With `waitMs=0` it is not waited for.
    """
    mission = f"Do it. SCRIPT{json.dumps(turns)}"
    brief = {"mission": mission, **params.pop("brief", {})}
    params = {"waitMs": 20_000, **params}
    answer = daemon.call("subsession.spawn", parentId=parent, role=role, brief=brief, **params)
    return str(answer["nodeId"])


def heard(daemon: Daemon, node: str) -> list[dict[str, Any]]:
    """Give everything that a child's agent wrote down."""
    log = daemon.workspace / f".agent-{node}.jsonl"
    return [json.loads(line) for line in log.read_text().splitlines()]


def prompts(daemon: Daemon, node: str) -> list[str]:
    """Give the texts a child's agent was prompted with."""
    if told := [entry["prompt"] for entry in heard(daemon, node) if "prompt" in entry]:
        return told
    got = [entry["got"] for entry in heard(daemon, node) if isinstance(entry.get("got"), dict)]
    return [
        frame["params"]["prompt"][0]["text"]
        for frame in got
        if frame.get("method") == "session/prompt"
    ]


def envelope(daemon: Daemon, node: str) -> dict[str, Any]:
    """Give the settled record of a node, as the operator sees it."""
    shown: dict[str, Any] = daemon.call("subsession.node", nodeId=node)["envelope"]
    return shown
