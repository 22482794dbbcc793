"""S06 for Claude Code: its input stays open over its turns, until its child has settled."""

import pytest

from tests.support.acting import FINAL, act, config, heard, prompts
from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_file, wait_for


@pytest.mark.scenario("S06")
def test_the_input_stays_open_until_the_child_settles() -> None:
    """It would work its turn to the end and leave, with nobody to answer what it asks."""
    with Daemon(config=config(actor={"runner": "claude"})) as daemon:
        node = act(
            daemon,
            daemon.open(),
            [],
            [{"shell": ["sh", "-c", "echo 1 >second"]}, {"wait_file": "go"}, FINAL],
        )
        wait_file(daemon.workspace / "second")
        assert {"got": "end of input"} not in heard(daemon, node)
        (daemon.workspace / "go").touch()
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        assert heard(daemon, node)[-1] == {"got": "end of input"}
        assert len(prompts(daemon, node)) == 2
        check_closing(daemon)
