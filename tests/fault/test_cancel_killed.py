"""A daemon killed while it stops a subtree: the next one finishes, and says what it said before."""

import os
import random
import threading
import time
from contextlib import suppress
from typing import Any, Final

import pytest

from subsession.errors import Refused, SubsessionError
from tests.support.closing import check_closing, marked
from tests.support.daemon import Daemon
from tests.support.hire import wait_for
from tests.support.tables import tables
from tests.support.yard import STUBBORN, Yard

KILLS: Final = 30 if os.environ.get("SCENARIO_CYCLES") == "full" else 4
LATEST_S: Final = 0.7
"""From the call to the kill: asking, the grace of half a second and the killing fall into it."""


def family(yard: Yard) -> dict[str, str]:
    """Start a parent with two children and a grandchild, none of which leaves when asked."""
    top = yard.speaker("boss", script=STUBBORN, brief={"depthAllowance": 2})
    one = yard.speaker("boss", script=STUBBORN, parent=top.node, brief={"tokenCap": 60_000})
    two = yard.speaker(script=STUBBORN, parent=top.node)
    low = yard.speaker(script=STUBBORN, parent=one.node)
    return {"top": top.node, "one": one.node, "two": two.node, "low": low.node}


@pytest.mark.scenario("S21")
@pytest.mark.timeout(90)  # two starts of a daemon on a busy machine
@pytest.mark.parametrize("kill", range(KILLS))
def test_a_cancel_is_finished_by_the_next_daemon(kill: int, dice: random.Random) -> None:
    """Once a node was seen cancelled it stays so, all below is orphaned and gone, nobody is hired
    there, and the same call again changes nothing.
    """
    with Daemon(config=tables(spawn_burst=50, live_per_parent=10)) as daemon:
        yard = Yard(daemon)
        nodes = family(yard)
        bystander = yard.settled()
        calling = threading.Thread(target=cancel, args=(daemon, nodes["top"]))
        calling.start()
        time.sleep(dice.uniform(0.0, LATEST_S))
        seen = daemon.rows()[nodes["top"]].get("outcome")
        daemon.kill()
        calling.join()
        yard.hang_up()
        daemon.start()
        ended = {name: wait_for(daemon, node, "released") for name, node in nodes.items()}
        if seen == "cancelled":
            assert ended["top"]["reason"] == "cancelled-by-operator"
        for name in ("one", "two", "low"):
            asked = ended["top"]["outcome"] == "cancelled"
            assert ended[name]["outcome"] == ("orphaned" if asked else "failed"), name
        assert marked([*nodes.values()]) == {}
        again = daemon.call("subsession.cancel", nodeId=nodes["top"])
        assert again["already"]
        with pytest.raises(Refused) as refused:
            hire_below(daemon, nodes["top"])
        assert refused.value.refusal.code in ("PARENT_NOT_LIVE", "SUBTREE_STOPPING")
        assert daemon.rows()[bystander]["outcome"] == "completed"
        seq = daemon.call("daemon.health")["seq"]
        daemon.kill()
        daemon.start()
        assert daemon.call("daemon.health")["seq"] == seq
        check_closing(daemon)


def cancel(daemon: Daemon, node: str) -> None:
    """Cancel, for a daemon that dies meanwhile."""
    with suppress(SubsessionError, OSError):
        daemon.call("subsession.cancel", nodeId=node)


def hire_below(daemon: Daemon, parent: str) -> Any:
    """Try to hire one more child there."""
    order = {"parentId": parent, "role": "check", "brief": {"mission": "late"}}
    return daemon.call("subsession.spawn", **order, argv=["true"])


@pytest.mark.timeout(90)
def test_orphans_of_a_killed_daemon_are_gone_on_with_from_above() -> None:
    """A parent dies, its child is an orphan with a checkpoint, the daemon is killed; the root, who
    is the nearest that lives, hires the successor, whose letter points at it.
    """
    with Daemon(config=tables()) as daemon:
        yard = Yard(daemon)
        top = yard.speaker("boss", brief={"depthAllowance": 1})
        low = yard.speaker(parent=top.node, brief={"title": "half done"})
        state = {"phase": "reading", "state": "two of three", "nextStep": "read the third"}
        pointer = low.call("subsession.checkpoint", **state)["pointer"]
        top.final("failed")
        row = wait_for(daemon, low.node, "released")
        assert (row["outcome"], row["reason"]) == ("orphaned", "parent-settled")
        yard.hang_up()
        daemon.kill()
        daemon.start()
        heir = daemon.call("subsession.succeed", childId=low.node)["nodeId"]
        view = daemon.call("subsession.node", nodeId=heir)
        assert view["row"]["parentId"] == yard.root
        assert view["row"]["predecessor"] == low.node
        assert pointer in view["letter"]
        assert "read the third" in view["letter"]
        assert wait_for(daemon, low.node)["successor"] == heir
        daemon.call("subsession.cancel", nodeId=heir)
        check_closing(daemon)
