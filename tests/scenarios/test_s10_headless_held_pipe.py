"""S10 for headless agents: an exit counts though a sleeper of theirs holds the pipe."""

import time
from typing import Any

import pytest

from tests.support.closing import check_closing, descriptors, marked
from tests.support.daemon import Daemon
from tests.support.headless import ENDS, config, spawn
from tests.support.hire import wait_for

NOTICED_S = 1.0
DRAINED_S = 2.0
SPARE_S = 1.5  # the agent's own start, the ladder, a busy machine


@pytest.mark.scenario("S10")
@pytest.mark.parametrize(
    ("steps", "outcome", "reason"),
    [
        (({"close": "done"}, {"exit": 0}), "completed", "final-report"),
        (({"exit": 3},), "failed", "exit-status"),
    ],
)
def test_a_headless_exit_counts_though_a_sleeper_holds_the_pipe(
    steps: tuple[dict[str, Any], ...], outcome: str, reason: str
) -> None:
    """It settles within three seconds, the sleeper is ended and no descriptor is left."""
    with Daemon(config=config(ends=ENDS)) as daemon:
        before = descriptors(daemon)
        root = daemon.open()
        began = time.monotonic()
        node = spawn(daemon, root, "ends", {"say": "a"}, {"hold": 600}, *steps)
        row = wait_for(daemon, node, "released")
        assert time.monotonic() - began <= NOTICED_S + DRAINED_S + SPARE_S
        assert (row["outcome"], row["reason"]) == (outcome, reason)
        assert marked([node]) == {}
        if outcome == "failed":
            envelope = daemon.call("subsession.node", nodeId=node)["envelope"]
            assert "status 3" in envelope["diagnostic"]
        check_closing(daemon, descriptors_before=before)
