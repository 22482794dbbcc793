"""S16 for headless agents: however much they write as errors, nobody waits."""

import time

import pytest

from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.headless import ENDS, config, spawn
from tests.support.hire import wait_for

MIB = 1024 * 1024
NORMAL_S = 5.0
FAKE = '{"type": "result", "result": "from stderr"}\n'


@pytest.mark.scenario("S16")
def test_errors_of_a_headless_agent_are_drained() -> None:
    """A flood before the first line and in the run is read; a failed child shows its end."""
    with Daemon(config=config(ends=ENDS)) as daemon:
        root = daemon.open()
        flood = (
            {"stderr": {"text": "log line\n", "times": MIB // 9}},
            {"say": "up"},
            {"stderr": {"text": "x" * MIB, "times": 10}},
            {"stderr": {"hex": "fffec328"}},
            {"stderr": {"text": FAKE}},
        )
        began = time.monotonic()
        good = spawn(daemon, root, "ends", *flood, {"close": "done"})
        assert wait_for(daemon, good)["outcome"] == "completed"
        assert time.monotonic() - began <= NORMAL_S
        bad = spawn(daemon, root, "ends", *flood, {"stderr": {"text": "the end"}}, {"exit": 5})
        assert wait_for(daemon, bad, "released")["reason"] == "exit-status"
        diagnostic = daemon.call("subsession.node", nodeId=bad)["envelope"]["diagnostic"]
        assert diagnostic.endswith("the end")
        assert len(diagnostic.encode()) <= 4_096
        check_closing(daemon)
