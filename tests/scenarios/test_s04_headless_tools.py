"""S04 for headless agents: a role of few tools keeps the way to report."""

import pytest

from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.headless import BY_SHELL, config, spawn
from tests.support.hire import wait_for

NARROW = '[narrow]\ntier = "shell"\ntools = ["read", "search"]\n'


@pytest.mark.scenario("S04")
def test_report_and_checkpoint_survive_an_allow_list() -> None:
    """A child that may read and search reports and saves a checkpoint as any other."""
    with Daemon(config=config(NARROW, shell=BY_SHELL)) as daemon:
        root = daemon.open()
        place = {"checkpoint": {"phase": "p", "state": "s", "nextStep": "n"}}
        final = {"report": {"output": "found", "stage": "final", "outcome": "completed"}}
        node = spawn(daemon, root, "narrow", {"say": "a"}, place, final)
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["author"]) == ("completed", "child")
        assert "checkpoint" in row
        check_closing(daemon)
