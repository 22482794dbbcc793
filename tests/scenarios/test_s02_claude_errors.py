"""S02 for Claude Code: success is no success, and an error, a refusal or a limit is no result."""

from typing import Any

import pytest

from tests.support.acting import FINAL, act, config, envelope
from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_for

ENDS: dict[str, tuple[dict[str, Any], tuple[str, str]]] = {
    "overloaded": (
        {"is_error": True, "result": "API Error: 529", "terminal_reason": "api_error"},
        ("error", "agent-error"),
    ),
    "refused": ({"is_error": True, "stop_reason": "refusal"}, ("refusal", "refusal")),
    "cut": ({"is_error": True, "api_error": "max_output_tokens"}, ("max-tokens", "max-tokens")),
    "turns": ({"is_error": True, "subtype": "error_max_turns"}, ("error", "turn-limit")),
    "money": (
        {"is_error": True, "subtype": "error_max_budget_usd", "errors": ["$0.01 is spent"]},
        ("error", "agent-error"),
    ),
}


@pytest.mark.scenario("S02")
def test_no_error_is_a_result() -> None:
    """Each has its own stop reason, is told to the operator, and is credited to no child."""
    with Daemon(config=config(actor={"runner": "claude"})) as daemon:
        root = daemon.open()
        failed = {act(daemon, root, [{"result": end}]): told for end, told in ENDS.values()}
        for node, (stop_reason, reason) in failed.items():
            assert wait_for(daemon, node, "released")["outcome"] == "failed"
            shown = envelope(daemon, node)
            assert (shown["stopReason"], shown["reason"]) == (stop_reason, reason)
            assert (shown["author"], shown["output"]) == ("runtime", "")
            assert 0 < len(shown["diagnostic"].encode()) <= 4_096
        said = [envelope(daemon, node)["diagnostic"] for node in failed]
        assert "API Error: 529" in said[0]
        assert "$0.01 is spent" in said[-1]
        for message in daemon.call("subsession.inbox", nodeId=root)["messages"]:
            assert message["source"] == "subagent-settled"
            assert "529" not in message["text"]
        check_closing(daemon)


@pytest.mark.scenario("S02")
def test_success_without_a_report_is_no_success() -> None:
    """Its words are no report, whatever it calls its end and whatever it was refused."""
    denials = [{"tool_name": "Write", "tool_use_id": "t"}]
    end = {"result": {"result": "All done, all is well.", "permission_denials": denials}}
    with Daemon(config=config(actor={"runner": "claude"})) as daemon:
        root = daemon.open()
        node = act(daemon, root, [end], [end])
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["reason"]) == ("failed", "ended-without-final")
        assert "All done" in envelope(daemon, node)["diagnostic"]
        (message,) = daemon.call("subsession.inbox", nodeId=root)["messages"]
        assert "All done" not in message["text"]
        good = act(daemon, root, [FINAL, {"result": {"is_error": True}}])
        assert wait_for(daemon, good, "released")["outcome"] == "completed"
        check_closing(daemon)
