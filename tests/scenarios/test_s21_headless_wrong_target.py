"""S21 for headless agents: a cancel stops the one that is named."""

import pytest

from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.headless import ENDS, config, spawn
from tests.support.hire import wait_for


def start(daemon: Daemon, root: str, name: str) -> str:
    """Start an agent that is mid-turn until it is let go."""
    steps = ({"line": {"type": "tool", "id": "t"}}, {"waitFile": name}, {"close": name})
    node = spawn(daemon, root, "ends", *steps)
    wait_for(daemon, node, "running")
    return node


@pytest.mark.scenario("S21")
def test_a_cancelled_headless_agent_takes_none_with_it() -> None:
    """A is cancelled, B completes before and C after it."""
    with Daemon(config=config(ends=ENDS)) as daemon:
        root = daemon.open()
        a, b = start(daemon, root, "a"), start(daemon, root, "b")
        (daemon.workspace / "b").touch()
        wait_for(daemon, b, "released")
        c = start(daemon, root, "c")
        answer = daemon.call("subsession.cancel", nodeId=a)
        assert [node["nodeId"] for node in answer["nodes"]] == [a]
        (daemon.workspace / "c").touch()
        outcomes = [wait_for(daemon, node, "released")["outcome"] for node in (a, b, c)]
        assert outcomes == ["cancelled", "completed", "completed"]
        check_closing(daemon)
