"""S03 for Claude Code: whoever ends without a final is known to have ended, and how."""

from typing import Any

import pytest

from tests.support.acting import act, config, envelope, prompts
from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_for

BEGUN = (
    {"report": {"stage": "progress", "output": "half way"}},
    {"tool": {"subsession_checkpoint": {"phase": "half", "state": "s", "nextStep": "the rest"}}},
)
ENDS: dict[str, list[dict[str, Any]]] = {
    "ended-without-final": [*BEGUN, {"exit": 0}],
    "exit-status": [*BEGUN, {"exit": 3}],
    "killed-by-signal": [*BEGUN, {"kill": 9}],
    "connection-lost": [*BEGUN, {"close": "stdout"}, {"hang": 1}],
}


@pytest.mark.scenario("S03")
@pytest.mark.parametrize("reason", ENDS)
def test_an_agent_that_ends_in_its_turn_settles_its_child(reason: str) -> None:
    """How it went is told apart; work goes on from the checkpoint."""
    with Daemon(config=config(actor={"runner": "claude"})) as daemon:
        root = daemon.open()
        node = act(daemon, root, ENDS[reason])
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["reason"]) == ("failed", reason)
        heir = daemon.call("subsession.succeed", childId=node, mission="Go on.", waitMs=20_000)
        # Why not the state: it has nothing to do, and may be over before anybody looks.
        assert wait_for(daemon, heir["nodeId"], "running", "settled", "released")["startedAt"]
        check_closing(daemon)


@pytest.mark.scenario("S03")
def test_an_agent_that_says_nothing_is_asked_once() -> None:
    """Two turns without a final are enough; the agent that lives on is ended."""
    with Daemon(config=config(actor={"runner": "claude"})) as daemon:
        node = act(daemon, daemon.open(), [], [])
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["reason"]) == ("failed", "ended-without-final")
        assert len(prompts(daemon, node)) == 2
        assert envelope(daemon, node)["author"] == "runtime"
        check_closing(daemon)


@pytest.mark.scenario("S03")
def test_its_last_unnamed_report_becomes_its_final() -> None:
    """It is promoted once the turn ends in which it was asked, or when it leaves well."""
    report = {"report": {"output": "It is all in docs."}}
    with Daemon(config=config(actor={"runner": "claude"})) as daemon:
        node = act(daemon, daemon.open(), [report], [])
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["reason"]) == ("completed", "promoted")
        assert envelope(daemon, node)["output"] == "It is all in docs."
        check_closing(daemon)


@pytest.mark.scenario("S03")
def test_an_agent_that_never_ends_its_turn_is_retired() -> None:
    """Its heartbeats are no signs of life."""
    kind = {"runner": "claude", "retire_ms": 1_500}
    beat = '{"type":"keep_alive"}\n{"type":"tool_progress"}\n'
    with Daemon(config=config(actor=kind)) as daemon:
        node = act(daemon, daemon.open(), [{"babble": beat}])
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["reason"]) == ("failed", "retired-silent")
        assert row["lastSign"] == "prompt"
        check_closing(daemon)
