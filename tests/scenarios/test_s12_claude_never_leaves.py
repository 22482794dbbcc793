"""S12 for Claude Code: a final counts at once, whatever its process does afterwards."""

import time

import pytest

from tests.support.acting import FINAL, act, config, envelope
from tests.support.closing import check_closing, marked
from tests.support.daemon import Daemon
from tests.support.hire import wait_for

GRACES_S = 2.0 + 1.0 + 0.4
"""For the interrupted turn, for the end of input, and after TERM."""
SPARE_S = 2.0


@pytest.mark.scenario("S12")
def test_one_that_never_leaves_is_ended_and_has_completed() -> None:
    """Deaf to the end of its input and to TERM: the forced end is noted."""
    kind = {"runner": "claude", "start": [{"deaf": 1}]}
    with Daemon(config=config(actor=kind)) as daemon:
        node = act(daemon, daemon.open(), [FINAL])
        assert wait_for(daemon, node)["outcome"] == "completed"
        settled = time.monotonic()
        row = wait_for(daemon, node, "released")
        assert time.monotonic() - settled <= GRACES_S + SPARE_S
        assert (row["outcome"], row["reason"]) == ("completed", "final-report")
        assert envelope(daemon, node)["forced"] is True
        assert marked([node]) == {}
        check_closing(daemon)


@pytest.mark.scenario("S12")
def test_one_that_does_not_hear_its_interrupt_is_ended() -> None:
    """Cancelled in its turn, it is asked, then its input ends, then it is killed."""
    kind = {"runner": "claude", "ignores_cancel": True, "start": [{"deaf": 1}]}
    with Daemon(config=config(actor=kind)) as daemon:
        node = act(daemon, daemon.open(), [{"until_cancel": 1}, {"hang": 1}])
        began = time.monotonic()
        (answer,) = daemon.call("subsession.cancel", nodeId=node)["nodes"]
        assert time.monotonic() - began <= GRACES_S + SPARE_S
        assert (answer["state"], answer["forced"]) == ("released", True)
        assert marked([node]) == {}
        check_closing(daemon)


@pytest.mark.scenario("S12")
def test_nothing_after_the_final_changes_the_outcome() -> None:
    """An error, another end of the turn and a bad status come too late."""
    with Daemon(config=config(actor={"runner": "claude"})) as daemon:
        end = '{"type":"result","is_error":true,"subtype":"error_max_turns"}\n'
        node = act(daemon, daemon.open(), [FINAL, {"print": end + end}, {"exit": 7}])
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["reason"]) == ("completed", "final-report")
        check_closing(daemon)
