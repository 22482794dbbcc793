"""S04 for the in-process loop: a role of few tools keeps the way to report, and gets no other."""

import pytest

from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_for
from tests.support.looped import ENVIRON, config, final, served, spawn

PLACE = {"phase": "p", "state": "s", "nextStep": "n"}


@pytest.mark.scenario("S04")
def test_report_and_checkpoint_survive_an_allow_list() -> None:
    """A child that may read and search reports and saves a checkpoint; it cannot spawn or steer."""
    with served() as models, Daemon(config=config(models.stub.url), environ=ENVIRON) as daemon:
        root = daemon.open()
        saves = {"call": "subsession_checkpoint", "args": PLACE}
        node = spawn(daemon, root, saves, final("found"), role="reader")
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["author"]) == ("completed", "child")
        assert "checkpoint" in row
        assert models.stub.requests[0].offered == (
            *("report", "subsession_checkpoint"),
            *("read_file", "list_files", "search_files"),
        )
        assert models.stub.requests[1].results[0].startswith("checkpoint saved: workspaceFile:")
        check_closing(daemon)
