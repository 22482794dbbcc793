"""S03 for ACP agents: whoever ends without a final is known to have ended, and how."""

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
    "killed-by-signal": [*BEGUN, {"kill": 9}],
    "turn-limit": [*BEGUN, {"stop": "max_turn_requests"}],
}


@pytest.mark.scenario("S03")
@pytest.mark.parametrize("reason", ENDS)
def test_an_agent_that_ends_without_a_final_settles_its_child(reason: str) -> None:
    """Exit, signal and turn limit are told apart; work goes on from the checkpoint."""
    with Daemon(config=config(actor={})) as daemon:
        root = daemon.open()
        node = act(daemon, root, ENDS[reason], brief={"ownedGlobs": ["docs/**"]})
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["reason"]) == ("failed", reason)
        messages = daemon.call("subsession.inbox", nodeId=root)["messages"]
        settling = [m for m in messages if m["source"] == "subagent-settled"]
        assert [message["senderSessionId"] for message in settling] == [node]
        heir = daemon.call("subsession.succeed", childId=node, mission="Go on.", waitMs=20_000)
        # Why not the state: it has nothing to do, and may be over before anybody looks.
        assert wait_for(daemon, heir["nodeId"], "running", "settled", "released")["startedAt"]
        check_closing(daemon)


@pytest.mark.scenario("S03")
def test_an_agent_that_says_nothing_is_asked_once() -> None:
    """Two turns without a final are enough; the agent that lives on is ended."""
    with Daemon(config=config(actor={})) as daemon:
        root = daemon.open()
        node = act(daemon, root, [], [])
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["reason"]) == ("failed", "ended-without-final")
        assert len(prompts(daemon, node)) == 2
        assert envelope(daemon, node)["author"] == "runtime"
        check_closing(daemon)


@pytest.mark.scenario("S03")
def test_the_last_words_of_an_agent_that_was_asked_become_its_final() -> None:
    """An unnamed report is promoted once the second turn ends."""
    with Daemon(config=config(actor={})) as daemon:
        root = daemon.open()
        node = act(daemon, root, [{"report": {"output": "It is all in docs."}}], [])
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["reason"]) == ("completed", "promoted")
        assert envelope(daemon, node)["output"] == "It is all in docs."
        check_closing(daemon)
