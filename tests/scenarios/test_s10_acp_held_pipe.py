"""S10 for ACP agents: an exit counts though something the agent started holds its pipes."""

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
    """It settles with its status in time, and the holder goes with it."""
    with Daemon(config=config(actor={})) as daemon:
        before = descriptors(daemon)
        began = time.monotonic()
        node = act(daemon, daemon.open(), [HOLDER, {"exit": 3}])
        row = wait_for(daemon, node)
        assert time.monotonic() - began <= WITHIN_S
        assert (row["outcome"], row["reason"]) == ("failed", "exit-status")
        assert "status 3" in envelope(daemon, node)["diagnostic"]
        wait_for(daemon, node, "released")
        assert marked([node]) == {}
        check_closing(daemon, descriptors_before=before)


@pytest.mark.scenario("S10")
def test_a_final_beside_a_holder_stays_the_final() -> None:
    """The child has completed, however its agent goes."""
    with Daemon(config=config(actor={})) as daemon:
        node = act(daemon, daemon.open(), [HOLDER, FINAL, {"exit": 3}])
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["reason"]) == ("completed", "final-report")
        assert marked([node]) == {}
        check_closing(daemon)
