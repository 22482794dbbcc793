"""S11 for in-process loops: nothing of a connection to a model stays when its child is gone."""

import pytest

from tests.support.closing import SLACK, check_closing, descriptors
from tests.support.daemon import Daemon
from tests.support.hire import wait_for
from tests.support.looped import ENVIRON, config, final, served, spawn

ROUNDS = 12
TOGETHER = 5


@pytest.mark.scenario("S11")
def test_loops_come_and_go_and_leave_no_descriptor() -> None:
    """Sixty of them, a fifth cancelled in the middle of an answer, a fifth refused by the model."""
    with served() as models, Daemon(config=config(models.stub.url), environ=ENVIRON) as daemon:
        root = daemon.open()
        wait_for(daemon, spawn(daemon, root, final()), "released")
        before = descriptors(daemon)
        for turn in range(ROUNDS):
            held = spawn(daemon, root, {"wait": f"held{turn}", **final()})
            lost = spawn(daemon, root, {"error": 401})
            rest = [spawn(daemon, root, final()) for _ in range(TOGETHER - 2)]
            models.wait_held(f"held{turn}")
            daemon.call("subsession.cancel", nodeId=held)
            for node in (held, lost, *rest):
                wait_for(daemon, node, "released")
        check_closing(daemon, descriptors_before=before)
        assert descriptors(daemon) <= before + SLACK
