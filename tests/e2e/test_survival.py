"""What was acknowledged survives the death of the daemon."""

import sys
from typing import Any

from tests.support.daemon import Daemon

SLEEPER = "import time; print('begun', flush=True); time.sleep(600)"
SPEAKER = """
import time
from subsession.client import Client
Client().report("half of it is done", stage="finding")
time.sleep(600)
"""


def spawn(daemon: Daemon, root: str, *argv: str, **params: Any) -> Any:
    """Start a `check` child with a command line."""
    return daemon.call(
        "subsession.spawn",
        parentId=root,
        role="check",
        brief={"mission": "run a command"},
        argv=[sys.executable, "-c", *argv],
        **params,
    )


def test_a_report_acknowledged_before_a_kill_is_there_after_the_restart() -> None:
    """A daemon killed between an acknowledgement and the child's end still has the report."""
    with Daemon() as daemon:
        root = daemon.open()
        child = spawn(daemon, root, SPEAKER, waitMs=20_000)["nodeId"]
        page = daemon.call("subsession.inbox", nodeId=root, waitMs=20_000)
        (message,) = page["messages"]
        assert daemon.rows()[child]["state"] == "running"
        daemon.kill()
        daemon.start()
        again, notice = daemon.call("subsession.inbox", nodeId=root)["messages"]
        row = daemon.rows()[child]
    assert "half of it is done" in message["text"]
    assert again["messageId"] == message["messageId"]
    assert again["text"] == message["text"]
    assert (notice["source"], notice["senderSessionId"]) == ("subagent-settled", child)
    assert (row["outcome"], row["reason"], row["state"]) == ("failed", "daemon-restart", "released")


def test_what_ended_before_a_kill_is_not_told_anew() -> None:
    """A child that had completed stays completed, and its final comes again under the same id."""
    with Daemon() as daemon:
        root = daemon.open()
        child = spawn(daemon, root, "print('hello from the child')")["nodeId"]
        page = daemon.call("subsession.inbox", nodeId=root, waitMs=20_000)
        (message,) = page["messages"]
        daemon.kill()
        daemon.start()
        (again,) = daemon.call("subsession.inbox", nodeId=root)["messages"]
        row = daemon.rows()[child]
    assert "hello from the child" in message["text"]
    assert (again["messageId"], again["text"]) == (message["messageId"], message["text"])
    assert row["outcome"] == "completed"


def test_a_third_start_adds_no_event() -> None:
    """Recovering twice gives the same state as recovering once."""
    with Daemon() as daemon:
        root = daemon.open()
        spawn(daemon, root, SLEEPER, waitMs=20_000)
        daemon.kill()
        daemon.start()
        once = daemon.call("daemon.health")["seq"]
        daemon.kill()
        daemon.start()
        twice = daemon.call("daemon.health")["seq"]
    assert once == twice
