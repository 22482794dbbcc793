"""S10 for Claude Code: an exit counts though something the agent started holds its pipes."""

import time

import pytest

from tests.support.acting import FINAL, act, config, envelope
from tests.support.closing import check_closing, descriptors, marked
from tests.support.daemon import Daemon
from tests.support.hire import wait_for

HOLDER = {"start": ["sleep", "600"]}
WITHIN_S = 1.0 + 2.0 + 1.5
"""To notice it, to read what is in the pipe, and for a busy machine."""


@pytest.mark.scenario("S10")
def test_an_agent_that_exits_beside_a_holder_is_gone() -> None:
    """It settles with its status in time, and the holder goes with it; a final stays the final."""
    with Daemon(config=config(actor={"runner": "claude"})) as daemon:
        before = descriptors(daemon)
        root = daemon.open()
        began = time.monotonic()
        node = act(daemon, root, [HOLDER, {"exit": 3}])
        row = wait_for(daemon, node)
        assert time.monotonic() - began <= WITHIN_S
        assert (row["outcome"], row["reason"]) == ("failed", "exit-status")
        assert "status 3" in envelope(daemon, node)["diagnostic"]
        wait_for(daemon, node, "released")
        done = act(daemon, root, [HOLDER, FINAL, {"exit": 3}])
        row = wait_for(daemon, done, "released")
        assert (row["outcome"], row["reason"]) == ("completed", "final-report")
        assert marked([node, done]) == {}
        check_closing(daemon, descriptors_before=before)
