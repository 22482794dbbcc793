"""S04 for ACP agents: however few tools a role has, its child can report."""

import pytest

from tests.support.acting import FINAL, act, config, envelope, heard
from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_for

CHECKPOINT = {"tool": {"subsession_checkpoint": {"phase": "p", "state": "s", "nextStep": "n"}}}
OPTIONS = [{"optionId": "yes", "kind": "allow_once"}, {"optionId": "no", "kind": "reject_once"}]


def ask(**call: object) -> dict[str, object]:
    """Ask for a tool."""
    params = {"toolCall": {"toolCallId": "1", **call}, "options": OPTIONS}
    return {"ask": [{"method": "session/request_permission", "params": params}]}


@pytest.mark.scenario("S04")
def test_a_role_that_only_reads_still_reports() -> None:
    """Report and checkpoint are there and allowed, and no tool that was not granted."""
    asked = ask(title="mcp__subsession__report", kind="other")
    with Daemon(config=config(actor={"tools": ["read", "search"]})) as daemon:
        root = daemon.open()
        node = act(daemon, root, [CHECKPOINT, asked, ask(title="Write", kind="edit"), FINAL])
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        assert envelope(daemon, node)["output"] == "All done."
        told = heard(daemon, node)
        (listed,) = [entry["listed"] for entry in told if "listed" in entry]
        assert sorted(listed) == ["report", "subsession_checkpoint"]
        picked = [
            answer["result"]["outcome"]["optionId"]
            for entry in told
            for answer in entry.get("answers", ())
        ]
        assert picked == ["yes", "no"]
        saved = [entry["said"] for entry in told if entry.get("tool") == "subsession_checkpoint"]
        assert saved[0]["isError"] is False
        check_closing(daemon)
