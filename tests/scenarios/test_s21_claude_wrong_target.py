"""S21 for Claude Code: a cancel interrupts the turn of the one that is named."""

import pytest

from tests.support.acting import FINAL, act, config, heard
from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_file, wait_for


@pytest.mark.scenario("S21")
def test_a_cancel_interrupts_the_named_turn_and_no_other() -> None:
    """Two of a kind are in their turns, a third is started meanwhile: one is cancelled."""
    with Daemon(config=config(actor={"runner": "claude"})) as daemon:
        root = daemon.open()
        one = act(daemon, root, [{"shell": ["sh", "-c", "echo 1 >one"]}, {"until_cancel": 1}])
        steps = [{"shell": ["sh", "-c", "echo 1 >two"]}, {"wait_file": "go"}, FINAL]
        two = act(daemon, root, steps)
        for name in ("one", "two"):
            wait_file(daemon.workspace / name)
        (answer,) = daemon.call("subsession.cancel", nodeId=one)["nodes"]
        assert (answer["nodeId"], answer["forced"]) == (one, False)
        three = act(daemon, root, [{"wait_file": "go"}, FINAL])
        (daemon.workspace / "go").touch()
        for node in (two, three):
            assert wait_for(daemon, node, "released")["outcome"] == "completed"
            assert "interrupt" not in str(heard(daemon, node))
        assert wait_for(daemon, one, "released")["outcome"] == "cancelled"
        assert "interrupt" in str(heard(daemon, one))
        check_closing(daemon)
