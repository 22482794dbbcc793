"""A workspace that goes away or cannot be written costs no record and no daemon."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from subsession.errors import Refused
from tests.support.closing import check_closing, marked, within
from tests.support.daemon import Daemon
from tests.support.hire import CONFIG, StandIn, hire, wait_for


def deleted(workspace: Path) -> None:
    """The whole folder is gone."""
    shutil.rmtree(workspace)


def cleaned(workspace: Path) -> None:
    """Only the journals are gone, as `git clean` leaves it."""
    shutil.rmtree(workspace / ".subsession")


def closed_up(workspace: Path) -> None:
    """A file stands where the journals belong, so that none can be written."""
    shutil.rmtree(workspace / ".subsession")
    (workspace / ".subsession").write_text("mine", "utf-8")


def saves(daemon: Daemon, node: str) -> int:
    """Count the checkpoints that the daemon can show of a node."""
    page = daemon.call("subsession.journal", nodeId=node)
    return sum(record["kind"] == "checkpoint" for record in page["records"])


@pytest.mark.parametrize("lose", [deleted, cleaned, closed_up], ids=lambda f: f.__name__)
def test_a_child_is_recorded_though_its_workspace_is_lost(lose: Callable[[Path], None]) -> None:
    """Reports and checkpoints are acknowledged and kept, and the journal is made when it can be."""
    with Daemon(config=CONFIG) as daemon:
        root = daemon.open()
        with StandIn.hire(daemon, root) as child:
            child.checkpoint("one", "before", "go on")
            within(lambda: saves(daemon, child.node_id) < 1, "the first checkpoint")
            daemon.call("subsession.journal", nodeId=root)
            lose(daemon.workspace)
            child.checkpoint("two", "after", "go on")
            said = child.report("still here", stage="finding")["messageId"]
            shown = daemon.call("subsession.journal", nodeId=child.node_id, first=3, limit=1)
            assert shown["records"][0]["body"]["state"] == "after"
        mail = daemon.call("subsession.inbox", nodeId=root)["messages"]
        assert said in [message["messageId"] for message in mail]
        daemon.kill()
        daemon.start()
        row = daemon.rows()[child.node_id]
        assert (row["state"], row["reason"]) == ("released", "daemon-restart")
        assert row["checkpoint"].endswith("#3")
        assert marked([child.node_id]) == {}
        mail = daemon.call("subsession.inbox", nodeId=root)["messages"]
        assert said in [message["messageId"] for message in mail]
        if lose is deleted:
            daemon.workspace.mkdir()
        elif lose is closed_up:
            (daemon.workspace / ".subsession").unlink()
        daemon.stop()
        daemon.start()
        within(lambda: saves(daemon, child.node_id) < 1, "the journal is not made again")
        page = daemon.call("subsession.journal", nodeId=child.node_id, first=3, limit=1)
        assert page["records"][0]["body"]["state"] == "after"
        check_closing(daemon)


def test_a_start_in_a_workspace_that_is_gone_fails_whole() -> None:
    """A spawn into a folder that is not there is a failed start that holds nothing."""
    with Daemon(config=CONFIG) as daemon:
        root = daemon.open()
        daemon.call("subsession.journal", nodeId=root)  # nothing is written there any more
        deleted(daemon.workspace)
        brief = {"ownedGlobs": ["src/**"]}
        with pytest.raises(Refused) as said:
            hire(daemon, root, "true", role="hand", brief=brief)
        assert said.value.refusal.code == "START_FAILED"
        failed = said.value.refusal.sibling or ""
        row = wait_for(daemon, failed, "released")
        assert row["reason"] == "start-failed"
        assert daemon.call("daemon.stats")["live"] == 0
        daemon.workspace.mkdir()
        node = hire(daemon, root, "true", role="hand", brief=brief)
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        check_closing(daemon)
