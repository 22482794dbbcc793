"""S21 for in-process loops: a cancel stops the one that is named, in the middle of its turn."""

import pytest

from subsession.errors import Refused
from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_for
from tests.support.looped import ENVIRON, config, final, served, spawn


@pytest.mark.scenario("S21")
def test_a_cancelled_loop_takes_none_with_it() -> None:
    """A is cancelled while its model is asked, B completes before and C after it."""
    with served() as models, Daemon(config=config(models.stub.url), environ=ENVIRON) as daemon:
        root = daemon.open()
        a = spawn(daemon, root, {"wait": "a", **final()})
        b = spawn(daemon, root, {"wait": "b", **final()})
        models.wait_held("a")
        models.wait_held("b")
        models.release("b")
        assert wait_for(daemon, b, "released")["outcome"] == "completed"
        c = spawn(daemon, root, {"wait": "c", **final()})
        models.wait_held("c")
        answer = daemon.call("subsession.cancel", nodeId=a)
        assert [(n["nodeId"], n["state"]) for n in answer["nodes"]] == [(a, "released")]
        models.release("c")
        assert wait_for(daemon, c, "released")["outcome"] == "completed"
        assert daemon.rows()[a]["outcome"] == "cancelled"
        assert daemon.call("subsession.cancel", nodeId=a)["already"]
        check_closing(daemon)


@pytest.mark.scenario("S21")
def test_a_loop_stops_nobody_but_its_own_children() -> None:
    """Its sibling and its mother are not there for it."""
    with served() as models, Daemon(config=config(models.stub.url), environ=ENVIRON) as daemon:
        root = daemon.open()
        mother = spawn(daemon, root, {"wait": "m", **final()}, role="boss")
        models.wait_held("m")
        sibling = spawn(daemon, mother, {"wait": "s", **final()})
        models.wait_held("s")
        stops = [{"call": "subsession_cancel", "args": {"nodeId": n}} for n in (sibling, mother)]
        child = spawn(daemon, mother, *stops, final(), role="boss", tokenCap=50_000)
        assert wait_for(daemon, child, "released")["outcome"] == "completed"
        results = models.stub.requests[-1].results
        assert [text.startswith("Refused: there is no such node") for text in results] == [
            True,
            True,
        ], results
        assert daemon.rows()[sibling]["state"] == daemon.rows()[mother]["state"] == "running"
        with pytest.raises(Refused):
            daemon.call("subsession.cancel", nodeId="0" * 26)
        daemon.call("subsession.cancel", nodeId=mother)
        check_closing(daemon)
