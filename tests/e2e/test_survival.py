"""What was acknowledged survives the death of the daemon."""

import sys
from typing import Any

from tests.support.daemon import Daemon

SLEEPER = "import time; print('begun', flush=True); time.sleep(600)"


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
        child = spawn(daemon, root, "print('hello from the child')", waitMs=20_000)
        page = daemon.call("subsession.inbox", nodeId=root, waitMs=20_000)
        (message,) = page["messages"]
        busy = spawn(daemon, root, SLEEPER, waitMs=20_000)
        daemon.kill()
        daemon.start()
        again = daemon.call("subsession.inbox", nodeId=root)["messages"]
        rows = daemon.rows()
    assert "hello from the child" in message["text"]
    assert again[0]["messageId"] == message["messageId"]
    assert again[0]["text"] == message["text"]
    assert rows[child["nodeId"]]["outcome"] == "completed"
    assert rows[busy["nodeId"]]["outcome"] == "failed"
    assert rows[busy["nodeId"]]["reason"] == "daemon-restart"
    assert rows[busy["nodeId"]]["state"] == "released"
    assert len(again) == 2


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
