"""S11 for Claude Code: cycles of it leave no descriptor, killed ones with a full pipe too."""

import os
from typing import Any

import pytest

from tests.support.acting import FINAL, act, config
from tests.support.closing import check_closing, descriptors, within, zombies
from tests.support.daemon import Daemon
from tests.support.hire import wait_for

FULL = os.environ.get("SCENARIO_CYCLES") == "full"
CYCLES = 100 if FULL else 8
SLACK = 5
WAYS: tuple[list[dict[str, Any]], ...] = (
    [FINAL],
    [{"exit": 3}],
    [{"result": {"is_error": True}}],
    [{"flood": 1}],
)


def cycle(daemon: Daemon, root: str, n: int) -> None:
    """Start one child and see it end, each time in another way."""
    steps = WAYS[n % len(WAYS)]
    node = act(daemon, root, steps)
    if "flood" in str(steps):
        daemon.call("subsession.cancel", nodeId=node)
    wait_for(daemon, node, "released")


@pytest.mark.scenario("S11")
@pytest.mark.timeout(600 if FULL else 90)
def test_cycles_of_children_leave_no_descriptor() -> None:
    """Whatever way they end, descriptors, processes and scratch folders are as before."""
    tables = config(actor={"runner": "claude"})
    tables["subsessiond.toml"] += "spawns_per_second = 1_000\n"
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
