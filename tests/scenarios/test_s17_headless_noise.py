"""S17 for headless agents: text between the lines is noise, and text alone is a failed start."""

import pytest

from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.headless import ENDS, config, spawn
from tests.support.hire import wait_for

NOISE = '\ufeff=== v1 ===\r\n\n\x1b[32mhook ok\x1b[0m\r\n42\n"x"\nnull\n[]\n{"half": \n'


@pytest.mark.scenario("S17")
def test_lines_around_noise_are_handled() -> None:
    """Banners, colours, blanks and values that are no object change nothing and are no sign."""
    with Daemon(config=config(ends=ENDS)) as daemon:
        root = daemon.open()
        steps = ({"raw": NOISE}, {"say": "a"}, {"raw": NOISE}, {"close": "done"}, {"raw": NOISE})
        node = spawn(daemon, root, "ends", *steps)
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        failed = spawn(daemon, root, "ends", *steps[:3], {"exit": 1})
        wait_for(daemon, failed, "released")
        diagnostic = daemon.call("subsession.node", nodeId=failed)["envelope"]["diagnostic"]
        assert "hook ok" in diagnostic
        assert "\x1b" not in diagnostic
        check_closing(daemon)


@pytest.mark.scenario("S17")
def test_text_alone_is_a_failed_start_with_a_sample() -> None:
    """Its parent is told in our words; the operator sees what it printed."""
    with Daemon(config=config(ends=ENDS)) as daemon:
        root = daemon.open()
        node = spawn(daemon, root, "ends", {"raw": "Welcome! Please log in.\n"}, {"exit": 0})
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["reason"]) == ("failed", "start-failed")
        diagnostic = daemon.call("subsession.node", nodeId=node)["envelope"]["diagnostic"]
        assert "Welcome! Please log in." in diagnostic
        (message,) = daemon.call("subsession.inbox", nodeId=root)["messages"]
        assert "Welcome" not in message["text"]
        check_closing(daemon)
