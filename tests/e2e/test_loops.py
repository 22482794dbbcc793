"""Loops of the `model` runner through a real daemon: parents, the daemon's end, its death."""

import os

from tests.support.closing import check_closing, marked
from tests.support.daemon import Daemon
from tests.support.hire import wait_file, wait_for
from tests.support.looped import ENVIRON, config, final, served, spawn
from tests.support.modelstub import script

HOLD = {
    "call": "run_command",
    "args": {"command": "echo $$ >new; mv new pid; exec sleep 1000"},
}


def test_a_loop_hires_waits_and_is_woken_by_the_report() -> None:
    """Its turn ends while its child works; it goes on with what the child reported, shown once."""
    with served() as models, Daemon(config=config(models.stub.url), environ=ENVIRON) as daemon:
        root = daemon.open()
        order = {"role": "worker", "mission": script(final("seven of nine")), "tokenCap": 20_000}
        mission = script(
            {"call": "subsession_spawn", "args": order},
            {"text": "I wait"},
            when={"Background subagent": [final("they said it")]},
        )
        spawned = {"parentId": root, "role": "boss", "brief": {"mission": mission}}
        mother = daemon.call("subsession.spawn", **spawned)["nodeId"]
        row = wait_for(daemon, mother, "released")
        assert (row["outcome"], row["reason"]) == ("completed", "final-report")
        (child,) = (name for name, r in daemon.rows().items() if r.get("parentId") == mother)
        report = f"Background subagent {child} reported:\\nseven of nine"
        told = [request for request in models.stub.requests if request.holds(report)]
        assert len(told) == 1
        assert told[0].raw.count(report.encode()) == 1
        assert row["measuredSubtree"]["reporting"] == 2
        check_closing(daemon)


def is_alive(pid: int) -> bool:
    """Tell whether a process is there."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_end_of_the_daemon_ends_what_a_loop_runs() -> None:
    """Neither command nor connection is left, and the child is settled."""
    with served() as models, Daemon(config=config(models.stub.url), environ=ENVIRON) as daemon:
        root = daemon.open()
        node = spawn(daemon, root, HOLD, final())
        pid = int(wait_file(daemon.workspace / "pid"))
        assert is_alive(pid)
        assert daemon.stop() == 0
        assert marked([node]) == {}
        daemon.start()
        assert daemon.rows()[node]["state"] == "released"
        check_closing(daemon)


def test_a_killed_daemon_leaves_no_command_of_a_loop_behind() -> None:
    """No process was recorded for it, so the next daemon ends what bears the child's mark."""
    with served() as models, Daemon(config=config(models.stub.url), environ=ENVIRON) as daemon:
        root = daemon.open()
        node = spawn(daemon, root, HOLD, final())
        wait_file(daemon.workspace / "pid")
        daemon.kill()
        daemon.start()
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["reason"]) == ("failed", "daemon-restart")
        assert marked([node]) == {}
        check_closing(daemon)
