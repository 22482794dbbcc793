"""S02 for ACP agents: an error, a refusal or a limit is no result, whoever says it."""

import pytest

from tests.support.acting import FINAL, act, config, envelope
from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_for

OVERLOADED = {"code": -32603, "message": "API Error: 529 overloaded", "data": {"status": 529}}


@pytest.mark.scenario("S02")
def test_an_error_of_the_provider_is_no_result() -> None:
    """Each that fails has its own stop reason, and no error is credited to a child."""
    with Daemon(config=config(actor={})) as daemon:
        root = daemon.open()
        failed = {
            act(daemon, root, [{"error": OVERLOADED}]): ("error", "agent-error"),
            act(daemon, root, [{"stop": "refusal"}]): ("refusal", "refusal"),
            act(daemon, root, [{"stop": "max_tokens"}]): ("max-tokens", "max-tokens"),
        }
        good = act(daemon, root, [FINAL])
        assert wait_for(daemon, good, "released")["outcome"] == "completed"
        for node, (stop_reason, reason) in failed.items():
            assert wait_for(daemon, node, "released")["outcome"] == "failed"
            shown = envelope(daemon, node)
            assert (shown["stopReason"], shown["reason"]) == (stop_reason, reason)
            assert (shown["author"], shown["output"]) == ("runtime", "")
            assert 0 < len(shown["diagnostic"].encode()) <= 4_096
        errors = [envelope(daemon, node)["diagnostic"] for node in failed]
        assert "API Error: 529 overloaded" in errors[0]
        messages = daemon.call("subsession.inbox", nodeId=root)["messages"]
        told = {message["senderSessionId"]: message for message in messages}
        for node in failed:
            assert told[node]["source"] == "subagent-settled"
            assert "The runtime wrote this, not the child." in told[node]["text"]
            assert "529" not in told[node]["text"]
        check_closing(daemon)


@pytest.mark.scenario("S02")
def test_an_error_that_is_said_in_words_alone_is_no_result() -> None:
    """Who ends its turns well over a failing provider has failed, and its words tell why."""
    words = {"type": "text", "text": "We are experiencing high demand (529)."}
    said = {"update": {"sessionUpdate": "agent_message_chunk", "content": words}}
    with Daemon(config=config(actor={})) as daemon:
        root = daemon.open()
        node = act(daemon, root, [said], [said])
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["reason"]) == ("failed", "ended-without-final")
        shown = envelope(daemon, node)
        assert "high demand (529)" in shown["diagnostic"]
        assert shown["output"] == ""
        (message,) = daemon.call("subsession.inbox", nodeId=root)["messages"]
        assert "529" not in message["text"]
        check_closing(daemon)


@pytest.mark.scenario("S02")
def test_a_stop_reason_that_nobody_knows_is_neither_result_nor_failure() -> None:
    """The child is asked for its final, and gives it."""
    with Daemon(config=config(actor={})) as daemon:
        root = daemon.open()
        node = act(daemon, root, [{"stop": "brand_new_reason"}], [FINAL])
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        check_closing(daemon)
