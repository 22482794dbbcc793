"""S11 for headless agents: cycles of them leave no descriptor, killed ones with a full pipe too."""

import os
from typing import Any

import pytest

from tests.support.closing import check_closing, descriptors, within, zombies
from tests.support.daemon import Daemon
from tests.support.headless import BY_SHELL, ENDS, config, spawn
from tests.support.hire import wait_for

FULL = os.environ.get("SCENARIO_CYCLES") == "full"
CYCLES = 100 if FULL else 15
SLACK = 5
FINAL = {"report": {"output": "done", "stage": "final", "outcome": "completed"}}
WAYS: tuple[tuple[str, tuple[dict[str, Any], ...]], ...] = (
    ("ends", ({"close": "done"},)),
    ("shell", (FINAL,)),
    ("ends", ({"say": "a"}, {"hold": 600}, {"exit": 3})),
    ("ends", ({"raw": "no protocol"},)),
    ("ends", ({"flood": 1},)),
)


def cycle(daemon: Daemon, root: str, n: int) -> None:
    """Start one child and see it end, each time in another way."""
    role, steps = WAYS[n % len(WAYS)]
    node = spawn(daemon, root, role, *steps)
    if "flood" in steps[0]:
        wait_for(daemon, node, "running")
        daemon.call("subsession.cancel", nodeId=node)
    wait_for(daemon, node, "released")


@pytest.mark.scenario("S11")
@pytest.mark.timeout(600 if FULL else 90)
def test_cycles_of_headless_children_leave_no_descriptor() -> None:
    """Whatever way they end, descriptors and processes are as before."""
    tables = config(ends=ENDS, shell=BY_SHELL)
    tables["subsessiond.toml"] += "spawns_per_second = 1_000\n[processes]\nterm_grace_ms = 300\n"
    with Daemon(config=tables, before=("prlimit", "--nofile=128:128")) as daemon:
        root = daemon.open()
        for n in range(len(WAYS)):  # what is opened once and kept
            cycle(daemon, root, n)
        before = descriptors(daemon)
        for n in range(CYCLES):
            cycle(daemon, root, n)
        within(lambda: descriptors(daemon) > before + SLACK, "descriptors are left")
        within(lambda: zombies(daemon), "zombies")
        assert not list((daemon.state / "scratch").glob("*"))
        check_closing(daemon, descriptors_before=before)
