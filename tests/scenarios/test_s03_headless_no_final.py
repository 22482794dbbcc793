"""S03 for headless agents: ended, killed or at its limit, a child without a final settles."""

import signal
from typing import Any

import pytest

from tests.support.closing import check_closing, marked
from tests.support.daemon import Daemon
from tests.support.headless import BY_SHELL, config, spawn
from tests.support.hire import wait_for

BEFORE: tuple[dict[str, Any], ...] = (
    {"report": {"output": "half way", "stage": "progress"}},
    {"checkpoint": {"phase": "half way", "state": "two of four", "nextStep": "the third"}},
    {"line": {"type": "tool", "id": "t1"}},
)
LIMIT = {"close": {"subtype": "max_turns", "is_error": True, "result": "Reached max turns"}}


@pytest.mark.scenario("S03")
@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        (({"exit": 0},), "ended-without-final"),
        (({"kill": signal.SIGKILL},), "killed-by-signal"),
        ((LIMIT, {"sleep": 600}), "turn-limit"),
    ],
)
def test_a_headless_child_without_a_final_settles_for_a_reason(
    steps: tuple[dict[str, Any], ...], reason: str
) -> None:
    """One notice, nothing held, the checkpoint kept, and a successor can go on from it."""
    with Daemon(config=config(shell=BY_SHELL)) as daemon:
        root = daemon.open()
        node = spawn(daemon, root, "shell", *BEFORE, *steps, ownedGlobs=["src/**"])
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["reason"], row["author"]) == ("failed", reason, "runtime")
        assert marked([node]) == {}
        messages = daemon.call("subsession.inbox", nodeId=root)["messages"]
        finals = [m for m in messages if m["senderSessionId"] == node and m["stage"] == "final"]
        assert [m["source"] for m in finals] == ["subagent-settled"]
        assert daemon.call("daemon.stats")["live"] == 0
        heir = daemon.call("subsession.succeed", childId=node)["nodeId"]
        shown = daemon.call("subsession.node", nodeId=heir)
        assert row["checkpoint"] in shown["letter"]
        assert shown["owns"] == ["src/**"]
        wait_for(daemon, heir, "released")
        check_closing(daemon)


@pytest.mark.scenario("S03")
def test_a_last_report_without_a_stage_is_the_final_of_a_clean_run() -> None:
    """It cannot be asked for its final, so what it said last, unnamed, is taken for it."""
    with Daemon(config=config(shell=BY_SHELL)) as daemon:
        root = daemon.open()
        said = {"report": {"output": "all of it"}}
        node = spawn(daemon, root, "shell", said, {"close": "bye"}, {"exit": 0})
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["reason"], row["author"]) == ("completed", "promoted", "child")
        check_closing(daemon)
