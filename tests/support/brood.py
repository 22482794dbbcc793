"""A mid-level parent that an ACP agent works for, and its many children that play scripts."""

import json
import re
from typing import Any, Final, NamedTuple

from tests.support.acting import act, config, prompts
from tests.support.daemon import Daemon
from tests.support.hire import wait_for

CHILDREN: Final = 12
TOOLS: Final = ["read", "edit", "search", "delegate"]
SCRIPTED: Final = '[agents.script]\nrunner = "scripted"\n'
CHILD: Final = '[script]\ntier = "script"\ntools = ["read"]\ntoken_cap = 40_000\n'
LIMITS: Final = "live_per_parent = 20\n"
FRAME: Final = re.compile(
    r"^(\(again\) )?Background subagent (\S+) (?:reported:|settled )", re.MULTILINE
)


class Shown(NamedTuple):
    """One message in a prompt."""

    child: str
    again: bool


def tables() -> dict[str, str]:
    """Write tables with the role `lead` for the parent and `script` for its children."""
    made = config(lead={"depth": 1, "tools": TOOLS})
    made["agents.toml"] = made["agents.toml"].replace("[tiers]", '[tiers]\nscript = "script"')
    made["agents.toml"] += SCRIPTED
    made["roles.toml"] += CHILD
    made["subsessiond.toml"] += LIMITS
    return made


def spawning(*steps: dict[str, Any], report_tokens: int = 600) -> dict[str, Any]:
    """Have the parent's agent start a child that plays these steps."""
    mission = json.dumps({"steps": steps})
    order = {"role": "script", "mission": mission, "tokenCap": 40_000}
    return {"tool": {"subsession_spawn": {**order, "maxReportTokens": report_tokens}}}


def done(number: int, more: str = "") -> dict[str, Any]:
    """Give the step by which a child ends."""
    output = f"Child {number:02d} is done.{more}"
    return {"report": {"stage": "final", "outcome": "completed", "output": output}}


def lead(daemon: Daemon, root: str, *turns: list[Any]) -> str:
    """Start a parent whose agent plays these turns; gives its id."""
    return act(daemon, root, *turns, role="lead", brief={"tokenCap": 900_000})


def brood(daemon: Daemon, parent: str) -> list[str]:
    """Give the children of a node, oldest first."""
    return [name for name, row in daemon.rows().items() if row.get("parentId") == parent]


def wait_brood(daemon: Daemon, parent: str, count: int = CHILDREN) -> list[str]:
    """Wait until so many children of a node are there and have settled."""
    with daemon.client() as client:
        page = client.call("subsession.tree", {})
        while len(found := brood(daemon, parent)) < count:
            page = client.call("subsession.tree", {"sinceSeq": page["seq"], "waitMs": 10_000})
    for child in found:
        wait_for(daemon, child)
    return found


def waiting(daemon: Daemon, node: str) -> list[dict[str, Any]]:
    """Look at all mail of a node, as the operator does: nothing is moved by it."""
    page = daemon.call("subsession.inbox", nodeId=node, maxTokens=8_000)
    assert page["more"] == 0
    messages: list[dict[str, Any]] = page["messages"]
    return messages


def shown(daemon: Daemon, node: str) -> list[list[Shown]]:
    """Give the messages that each prompt of a node's agent held; a prompt without is left out."""
    found = [[Shown(m[2], bool(m[1])) for m in FRAME.finditer(p)] for p in prompts(daemon, node)]
    return [messages for messages in found if messages]
