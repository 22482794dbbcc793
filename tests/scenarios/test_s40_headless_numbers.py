"""S40 for headless agents: each message counts once, a summary only checks, silence is null."""

from typing import Any

import pytest

from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.headless import BY_SHELL, ENDS, config, spawn
from tests.support.hire import wait_for

ONE = {"line": {"type": "say", "text": "a", "id": "m1", "usage": {"in": 100, "hit": 7, "out": 20}}}
TWO = {"line": {"type": "say", "text": "b", "id": "m2", "usage": {"in": 50, "put": 3, "out": 5}}}
SUM = {"close": {"result": "done", "summary": {"in": 150, "hit": 7, "put": 3, "out": 25}}}
TOTALS = [{"line": {"type": "say", "text": "t", "total": {"in": n, "out": 1}}} for n in (5, 9, 4)]
BOSS = """
[boss]
tier = "shell"
depth_cap = 1
tools = ["read", "edit", "execute", "search", "fetch", "think", "delegate"]
token_cap = 1_000_000
"""


def figures(row: dict[str, Any], name: str = "measuredTokens") -> list[int | None]:
    """Give what was measured."""
    words = ("input", "cacheRead", "cacheWrite", "output")
    return [row[name].get(word) for word in words]


@pytest.mark.scenario("S40")
def test_figures_of_headless_agents_are_true_and_counted_once() -> None:
    """Repeats, replays and the closing summary add nothing; running totals are not added."""
    with Daemon(config=config(BOSS, ends=ENDS, shell=BY_SHELL)) as daemon:
        root = daemon.open()
        boss = spawn(daemon, root, "boss", TWO, {"waitFile": "go"}, {"close": "x"})
        wait_for(daemon, boss, "running")
        repeats = spawn(daemon, boss, "ends", ONE, ONE, ONE, TWO, ONE, SUM)
        totals = spawn(daemon, boss, "ends", *TOTALS, {"close": "done"})
        mute = spawn(daemon, boss, "ends", {"say": "a"}, {"close": "done"})
        never = spawn(daemon, boss, "ends", {"raw": "no"}, {"exit": 1})
        rows = [wait_for(daemon, node, "released") for node in (repeats, totals, mute, never)]
        assert figures(rows[0]) == [150, 7, 3, 25]
        assert figures(rows[1]) == [9, None, None, 1]
        assert [row["measuredTokens"] for row in rows[2:]] == [None, None]
        assert [row["declaredTokenCap"] for row in rows[2:]] == [200_000, 200_000]
        (daemon.workspace / "go").touch()
        wait_for(daemon, boss, "released")
        below = daemon.call("subsession.node", nodeId=boss)["row"]
        assert figures(below) == [50, None, 3, 5]
        assert figures(below, "measuredSubtree") == [209, 7, 6, 31]
        check_closing(daemon)
