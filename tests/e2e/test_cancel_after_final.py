"""S21: a child that has sent its final and lives on is stopped by a cancel, not by its patience."""

import time

import pytest

from tests.support.daemon import Daemon
from tests.support.provoke import CONFIG
from tests.support.yard import Yard

pytestmark = pytest.mark.scenario("S21")

SOON_S = 5.0
"""Half of what a turn may run on for after its final."""


@pytest.mark.parametrize("method", ["subsession.cancel", "subsession.close"])
def test_a_cancel_does_not_wait_for_a_turn_that_runs_on(method: str) -> None:
    """The call answers when the process is gone, well before its time is over."""
    with Daemon(config=CONFIG) as daemon:
        yard = Yard(daemon)
        child = yard.speaker()
        child.final()
        node = child.node if method.endswith("cancel") else yard.root
        began = time.monotonic()
        stopped = yard.call(method, nodeId=node)["nodes"]
        took_s = time.monotonic() - began
        yard.hang_up()
    states = {row["nodeId"]: row["state"] for row in stopped}
    assert states[child.node] == "released"
    assert took_s < SOON_S
