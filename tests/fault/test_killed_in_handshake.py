"""A daemon killed at each step of an agent's start: the child is settled once, and started once."""

import json
import sys
import time
from pathlib import Path

import pytest

from tests.support.acting import config
from tests.support.agents import halting
from tests.support.closing import check_closing, within
from tests.support.daemon import Daemon
from tests.support.hire import wait_for
from tests.support.living import living

STEPS = {
    "spawn": "start-interrupted",
    "initialize": "start-interrupted",
    "session/new": "start-interrupted",
    "session/prompt": "daemon-restart",
}
"""How far the agent comes, and what its child is settled for."""

AGENT = """
[agents.actor]
runner = "acp"
channel = "cli"
command = {command}
"""


@pytest.mark.timeout(90)  # three starts of a daemon, on a busy machine
@pytest.mark.parametrize(
    ("step", "container"),
    [*((step, "strongest") for step in STEPS), ("spawn", "descent"), ("session/prompt", "descent")],
)
def test_a_daemon_that_dies_in_a_handshake_leaves_a_child_that_has_ended(
    step: str, container: str
) -> None:
    """The next one ends the agent and what it left, tells why, and gives its files to another."""
    marker = f"600.{time.monotonic_ns() % 1_000_000_000:09d}"
    command = json.dumps([sys.executable, str(Path(halting.__file__)), step, marker])
    tables = config(actor={})
    tables["agents.toml"] = '[tiers]\nactor = "actor"\n' + AGENT.format(command=command)
    tables["subsessiond.toml"] = f'[processes]\ncontainer = "{container}"\nterm_grace_ms = 300\n'
    with Daemon(config=tables) as daemon:
        root = daemon.open()
        brief = {"mission": "work", "ownedGlobs": ["src/**"]}
        order = {"parentId": root, "role": "actor", "brief": brief, "idempotencyKey": "once"}
        node = daemon.call("subsession.spawn", **order)["nodeId"]
        came = daemon.workspace / "came"
        within(lambda: not came.exists(), f"{step} was not reached")
        within(lambda: not living(marker), "the program does not run")
        daemon.kill()
        daemon.start()
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["reason"]) == ("failed", STEPS[step])
        assert living(marker) == []
        again = daemon.call("subsession.spawn", **order)
        assert (again["nodeId"], again["state"]) == (node, "released")
        assert (daemon.workspace / "starts").read_text().split() == [node]
        other = daemon.call("subsession.spawn", **{**order, "idempotencyKey": "2"}, checkOnly=True)
        assert other["wouldAdmit"]
        seq = daemon.call("daemon.health")["seq"]
        daemon.kill()
        daemon.start()
        assert daemon.call("daemon.health")["seq"] == seq
        check_closing(daemon)
