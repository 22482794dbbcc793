"""Hiring and following children of a real daemon, and speaking in a child's stead."""

import time
from pathlib import Path
from typing import Any, Self

from subsession.client import Client
from tests.support.daemon import Daemon

SETTLED = ("settled", "released")
WITHIN_S = 20.0

STAND_IN = (
    'printf %s "$SUBSESSION_TOKEN" >".token-$SUBSESSION_NODE.new";'
    'mv ".token-$SUBSESSION_NODE.new" ".token-$SUBSESSION_NODE"; exec sleep 600'
)
"""A child that shows its token and does nothing more."""

HANDS = """
[check]
tier = "command"
tools = ["read", "execute"]
token_cap = 20_000

[hand]
tier = "command"
tools = ["read", "edit", "execute"]
token_cap = 20_000

[script]
tier = "scripted"
tools = ["read", "edit"]
token_cap = 20_000

[lead]
tier = "scripted"
depth_cap = 2
tools = ["read", "edit", "execute", "delegate"]
token_cap = 200_000
"""
"""Roles for tests: `check` and `hand` run commands, the latter owns files; the rest scripts."""

AGENTS = """
[tiers]
command = "command"
scripted = "scripted"

[agents.command]
runner = "command"
command = []
takes_operator_argv = true
takes_schema = false

[agents.scripted]
runner = "scripted"
takes_steer = true
"""

CONFIG = {"roles.toml": HANDS, "agents.toml": AGENTS}


def hire(daemon: Daemon, parent: str, *argv: str, role: str = "check", **params: Any) -> str:
    """Start a child with a command line and wait until it runs; gives its id."""
    brief = {"mission": "run a command", **params.pop("brief", {})}
    answer = daemon.call(
        "subsession.spawn",
        parentId=parent,
        role=role,
        brief=brief,
        argv=[*argv],
        waitMs=params.pop("waitMs", 20_000),
        **params,
    )
    return str(answer["nodeId"])


def wait_for(daemon: Daemon, node: str, *states: str, within_s: float = WITHIN_S) -> dict[str, Any]:
    """Wait until a node is in one of these states (settled or released when none is named)."""
    until = time.monotonic() + within_s
    with daemon.client() as client:
        page = client.call("subsession.tree", {})
        row: dict[str, Any] = {}
        while True:
            row = next((r for r in page["rows"] if r["nodeId"] == node), row)
            if row and row["state"] in (states or SETTLED):
                return row
            left_ms = int((until - time.monotonic()) * 1_000)
            assert left_ms > 0, f"{node} is {row.get('state')} after {within_s} s"
            since = {"sinceSeq": page["seq"], "waitMs": min(left_ms, 10_000)}
            page = client.call("subsession.tree", since)


def wait_file(path: Path, within_s: float = WITHIN_S) -> str:
    """Wait until a child has written a file; gives its text."""
    until = time.monotonic() + within_s
    while not path.exists() or not path.stat().st_size:
        assert time.monotonic() < until, f"{path.name} was not written within {within_s} s"
        time.sleep(0.01)
    return path.read_text("utf-8")


class StandIn(Client):
    """A running child whose words the test says: its process only waits."""

    node_id: str

    @classmethod
    def hire(cls, daemon: Daemon, parent: str, **params: Any) -> Self:
        """Start one and become able to speak as it."""
        node = hire(daemon, parent, "sh", "-c", STAND_IN, **params)
        token = wait_file(daemon.workspace / f".token-{node}")
        speaker = cls(daemon.socket, token=token)
        speaker.node_id = node
        return speaker
