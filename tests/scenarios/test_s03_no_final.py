"""S03: a child that ends without a final is settled, says why, and frees all it held.

Not yet: a crash in the middle of an agent's prompt, with a request to the agent outstanding.
"""

import os
import signal
import sys
from typing import Any

import msgspec
import pytest

from tests.support.closing import check_closing, marked, within
from tests.support.daemon import Daemon
from tests.support.hire import CONFIG, hire, wait_for

CHECKPOINT = {"phase": "half way", "state": "two of four files", "nextStep": "read the third"}
PROGRESS = {"output": "half way", "stage": "progress"}
WORK = """
from subsession import child
from subsession.client import Client
child.report("half way", stage="progress")
child.checkpoint("half way", "two of four files", "read the third")
client = Client()
seen = client.call("subsession.tree", {})["seq"]
client.call("subsession.tree", {"sinceSeq": seen, "waitMs": 50_000})
"""


def script(*steps: dict[str, Any]) -> dict[str, Any]:
    """Give a brief whose mission is a script: a report, a checkpoint, and these steps."""
    said = [{"report": PROGRESS}, {"checkpoint": CHECKPOINT}, *steps]
    return {"mission": msgspec.json.encode({"steps": said}).decode(), "ownedGlobs": ["src/**"]}


def hire_script(daemon: Daemon, root: str, *steps: dict[str, Any]) -> str:
    """Start a child that plays a script."""
    brief = script(*steps)
    answer = daemon.call("subsession.spawn", parentId=root, role="script", brief=brief)
    return str(answer["nodeId"])


def check_aftermath(daemon: Daemon, root: str, node: str, reason: str) -> None:
    """Look at what a child that failed has left: one notice, nothing held, a way to go on."""
    row = wait_for(daemon, node, "released")
    assert (row["outcome"], row["reason"], row["author"]) == ("failed", reason, "runtime")
    assert row["checkpoint"].startswith(f"workspaceFile:.subsession/journals/{node}.")
    assert marked([node]) == {}
    messages = daemon.call("subsession.inbox", nodeId=root)["messages"]
    (notice,) = [m for m in messages if m["senderSessionId"] == node and m["stage"] == "final"]
    assert notice["source"] == "subagent-settled"
    assert daemon.call("daemon.stats")["live"] == 0
    heir = daemon.call("subsession.succeed", childId=node, waitMs=20_000)["nodeId"]
    shown = daemon.call("subsession.node", nodeId=heir)
    assert shown["row"]["predecessor"] == node
    assert row["checkpoint"] in shown["letter"]
    assert shown["owns"] == ["src/**"]
    daemon.call("subsession.cancel", nodeId=heir)


@pytest.mark.scenario("S03")
def test_a_turn_that_ends_without_a_final_settles_the_child() -> None:
    """A child whose turn ends, is asked for its final and ends again, settles as without one."""
    with Daemon(config=CONFIG) as daemon:
        root = daemon.open()
        node = hire_script(daemon, root)
        check_aftermath(daemon, root, node, "ended-without-final")
        check_closing(daemon)


@pytest.mark.scenario("S03")
def test_a_turn_limit_settles_the_child_though_it_lives() -> None:
    """A child that reached its turn limit is settled with that reason at once."""
    with Daemon(config=CONFIG) as daemon:
        root = daemon.open()
        node = hire_script(daemon, root, {"end": {"outcome": "failed", "reason": "turn-limit"}})
        check_aftermath(daemon, root, node, "turn-limit")
        check_closing(daemon)


@pytest.mark.scenario("S03")
def test_a_child_killed_in_the_middle_settles_with_its_signal() -> None:
    """A child killed by signal 9 while a call of its own waits settles at once, saying so."""
    with Daemon(config=CONFIG) as daemon:
        root = daemon.open()
        brief = {"ownedGlobs": ["src/**"]}
        node = hire(daemon, root, sys.executable, "-c", WORK, role="hand", brief=brief)
        within(lambda: "checkpoint" not in daemon.rows()[node], "no checkpoint of the child")
        within(lambda: daemon.call("daemon.stats")["inFlight"] == 0, "no call of the child")
        os.kill(min(marked([node])), signal.SIGKILL)
        check_aftermath(daemon, root, node, "killed-by-signal")
        check_closing(daemon)
