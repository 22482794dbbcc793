"""A parent whose children say as much as they are let, in as many ways as there are."""

import json
import sys
from typing import Any, Final

from tests.support.tables import AGENTS
from tests.support.yard import STUBBORN, Speaker, Yard

ROLES: Final = """
[loud]
tier = "command"
tools = ["read", "edit", "execute"]
token_cap = 100_000
max_report_tokens = 8_000

[terse]
tier = "command"
tools = ["read", "execute"]
token_cap = 5_000_000
max_report_tokens = 50

[boss]
tier = "command"
depth_cap = 2
tools = ["read", "edit", "execute", "delegate"]
token_cap = 100_000_000
max_report_tokens = 8_000

[script]
tier = "scripted"
tools = ["read", "edit"]
token_cap = 20_000
"""

MAIN: Final = """
[limits]
live_per_parent = "unlimited"
live_per_tree = "unlimited"
live_total = "unlimited"
spawns_per_tree = "unlimited"
spawn_burst = 10_000
root_token_cap = 1_000_000_000
"""

CONFIG: Final = {"roles.toml": ROLES, "agents.toml": AGENTS, "subsessiond.toml": MAIN}

MANY: Final = 40
"""Children of one kind: more than a page has rows."""

WAIT: Final = json.dumps({"steps": [{"awaitPrompt": True}]})
FACE: Final = "🙂"
PRINT: Final = (
    "import sys; out = sys.stdout.buffer\n"
    "for _ in range(300): out.write({line!r}.encode() * 100 + b'\\n')\n"
    "sys.stderr.write({line!r} * 30_000)\n"
    "sys.exit({status})"
)
LINES: Final = (FACE * 30, '"\\' * 60, "\x01\x1b[31m" * 20, "</script>\x7f" * 12)
"""Bytes that JSON, terminals and pages write longer than they are."""


class Hostile:
    """The world of one test: a boss with children of every kind."""

    def __init__(self, yard: Yard) -> None:
        self.yard = yard
        self.boss = yard.speaker("boss", script=STUBBORN, brief={"ownedGlobs": ["**"]})
        self.talkers: list[Speaker] = []
        self.waiting: list[str] = []
        self.settled: list[str] = []
        self.below = ""

    def fill(self) -> None:
        """Start children of every kind and let them say all they may."""
        self._commands()
        self.talkers = [self._talker(i) for i in range(3)]
        self.waiting = [self._scripted(self.boss.node, i) for i in range(MANY)]
        smaller = {"title": FACE * 30, "tokenCap": 2_000_000}
        below = self.yard.speaker("boss", parent=self.boss.node, brief=smaller)
        self.below = below.node
        for i in range(MANY):
            self._scripted(self.below, i)

    def settle(self) -> None:
        """Let the talkers say their last words, at the very limit."""
        for i, talker in enumerate(self.talkers):
            talker.call("subsession.report", **final(i))
            self.settled.append(talker.node)
        for node in self.waiting[: MANY // 2]:
            self.yard.call("subsession.cancel", nodeId=node)

    def _commands(self) -> None:
        """Megabytes on both streams, of programs that succeed and that fail."""
        for role, status in (("loud", 0), ("loud", 3), ("terse", 0), ("terse", 1)):
            for line in LINES:
                code = PRINT.format(line=line, status=status)
                brief = {"title": FACE * 30}
                argv = (sys.executable, "-c", code)
                node = self.yard.hire(*argv, role=role, parent=self.boss.node, brief=brief)
                self.settled.append(node)
        for node in self.settled:
            self.yard.wait(node, "released")

    def _talker(self, number: int) -> Speaker:
        """A child that reports progress, findings and a checkpoint as large as they may be."""
        globs = [f"{number}/{i}/" + "g" * 480 for i in range(200)]
        brief = {"mission": "m" * 30_000, "title": FACE * 30, "ownedGlobs": globs}
        talker = self.yard.speaker("loud", parent=self.boss.node, brief=brief)
        for i in range(25):
            talker.report(f"{i:>3}" + FACE * 149, stage="progress")
        for i in range(12):
            talker.report(f"{i:>3}" + FACE * 5_800, stage="finding")
        words = FACE * 10_000
        talker.call("subsession.checkpoint", phase=words, state=words, nextStep=words)
        return talker

    def _scripted(self, parent: str, number: int) -> str:
        brief = {"mission": WAIT, "title": FACE * 29 + f"{number:>4}"}
        return str(self.yard.spawn("script", parent=parent, brief=brief, waitMs=20_000)["nodeId"])


def final(number: int) -> dict[str, Any]:
    """Give a final as large as a report may be, its bulk in another field each time."""
    words = FACE * 5_700
    bulk: tuple[dict[str, Any], ...] = (
        {"output": words, "outcome": "completed"},
        {"output": "o", "outcome": "blocked", "blockers": [FACE * 85] * 64},
        {
            "output": "o",
            "outcome": "completed",
            "sections": {"s": FACE * 2_800},
            "structured": {"k": ["v" * 90] * 110},
        },
    )
    return {"stage": "final", **bulk[number % len(bulk)]}
