"""S10: a child that has exited is over, though something it started holds its pipes."""

import time

import pytest

from tests.support.closing import check_closing, descriptors, marked
from tests.support.daemon import Daemon
from tests.support.hire import hire, wait_for

NOTICED_S = 1.0
DRAINED_S = 2.0
SPARE_S = 1.0  # what the ladder and a busy machine take on top


@pytest.mark.scenario("S10")
@pytest.mark.parametrize(
    ("ending", "outcome", "reason", "words"),
    [
        ("echo all done; exit 0", "completed", "exited", "all done"),
        ("exit 3", "failed", "exit-status", "status 3"),
    ],
)
def test_an_exit_counts_though_a_grandchild_holds_the_pipe(
    ending: str, outcome: str, reason: str, words: str
) -> None:
    """An exit settles the child within three seconds and ends the sleeper that holds its pipes."""
    with Daemon() as daemon:
        before = descriptors(daemon)
        root = daemon.open()
        began = time.monotonic()
        node = hire(daemon, root, "sh", "-c", f"sleep 600 & {ending}")
        row = wait_for(daemon, node, "released")
        assert time.monotonic() - began <= NOTICED_S + DRAINED_S + SPARE_S
        assert (row["outcome"], row["reason"]) == (outcome, reason)
        assert marked([node]) == {}
        (message,) = daemon.call("subsession.inbox", nodeId=root)["messages"]
        assert words in message["text"]
        check_closing(daemon, descriptors_before=before)
