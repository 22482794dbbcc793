"""S14 for Claude Code: a brief of any length goes over its input, whole and seen by nobody."""

import json
from pathlib import Path

import pytest

from tests.support.acting import FINAL, config, prompts
from tests.support.closing import check_closing, marked
from tests.support.daemon import Daemon
from tests.support.hire import wait_for

SIZES = (160 * 1024, 3 * 1024 * 1024)


@pytest.mark.scenario("S14")
def test_a_long_brief_comes_whole() -> None:
    """No list of processes shows the mission, and its model is shown all of it."""
    script = json.dumps([[{"wait_file": "go"}, FINAL]])
    tables = config(actor={"runner": "claude"})
    tables["subsessiond.toml"] += "mission_bytes = 4_194_304\n"
    with Daemon(config=tables) as daemon:
        root = daemon.open()
        nodes = {}
        for size in SIZES:
            mission = f"SCRIPT{script} {'secret-mission é ' * size}"
            mission = mission.encode()[:size].decode(errors="ignore")
            order = {"parentId": root, "role": "actor", "brief": {"mission": mission}}
            answer = daemon.call("subsession.spawn", waitMs=20_000, **order)
            nodes[answer["nodeId"]] = mission
        lines = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in marked(list(nodes))]
        assert len(lines) >= len(nodes)
        assert not any(b"secret-mission" in line for line in lines)
        (daemon.workspace / "go").touch()
        for node, mission in nodes.items():
            assert wait_for(daemon, node, "released")["outcome"] == "completed"
            assert mission in prompts(daemon, node)[0]
        check_closing(daemon)
