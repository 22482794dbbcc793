"""Every way in which an agent can end, and what its record and its parent are told of it."""

from typing import Any, NamedTuple

import pytest

from tests.support.acting import BLOCKED, FINAL, act, config, envelope
from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_for


class End(NamedTuple):
    """What a record says."""

    outcome: str
    stop_reason: str
    reason: str
    author: str


def failed(reason: str, stop_reason: str = "error") -> End:
    """Give the end of one that failed and did not say so itself."""
    return End("failed", stop_reason, reason, "runtime")


GIVEN_UP = {"report": {"stage": "final", "outcome": "failed", "output": "It cannot be done."}}
UNNAMED = {"report": {"output": "It is done."}}
PROGRESS = {"report": {"stage": "progress", "output": "On my way."}}
FINDING = {"report": {"stage": "finding", "output": "Look here."}}
OVERLOADED = {"error": {"code": -32603, "message": "overloaded"}}

BY_CHILD = {
    "completed": End("completed", "completed", "final-report", "child"),
    "blocked": End("blocked", "completed", "final-report", "child"),
    "failed": End("failed", "error", "final-report", "child"),
    "promoted": End("completed", "completed", "promoted", "child"),
}

ENDS: dict[str, tuple[list[list[Any]], End]] = {
    "a completed final": ([[FINAL]], BY_CHILD["completed"]),
    "a blocked final": ([[BLOCKED]], BY_CHILD["blocked"]),
    "a failed final": ([[GIVEN_UP]], BY_CHILD["failed"]),
    "a final when asked": ([[PROGRESS], [FINAL]], BY_CHILD["completed"]),
    "a report without a stage": ([[UNNAMED], []], BY_CHILD["promoted"]),
    "nothing at all": ([[], []], failed("ended-without-final")),
    "progress alone": ([[PROGRESS], []], failed("ended-without-final")),
    "a finding alone": ([[FINDING], []], failed("ended-without-final")),
    "a refusal": ([[{"stop": "refusal"}]], failed("refusal", "refusal")),
    "the limit of tokens": ([[{"stop": "max_tokens"}]], failed("max-tokens", "max-tokens")),
    "the limit of turns": ([[{"stop": "max_turn_requests"}]], failed("turn-limit")),
    "a refusal after words": ([[UNNAMED, {"stop": "refusal"}]], failed("refusal", "refusal")),
    "an error of its provider": ([[OVERLOADED]], failed("agent-error")),
    "an exit in its turn": ([[{"exit": 0}]], failed("ended-without-final")),
    "an exit with a status": ([[{"exit": 3}]], failed("exit-status")),
    "a signal": ([[{"kill": 9}]], failed("killed-by-signal")),
    "a signal after its final": ([[FINAL, {"kill": 9}]], BY_CHILD["completed"]),
    "an error after its final": ([[FINAL, OVERLOADED]], BY_CHILD["completed"]),
    "a second final": ([[FINAL, GIVEN_UP]], BY_CHILD["completed"]),
}
"""The turns an agent plays, and its end."""


@pytest.mark.scenario("S03")
@pytest.mark.timeout(120)  # as many agents as there are ends
def test_every_end_has_its_outcome_its_reason_and_its_author() -> None:
    """Its parent is told exactly once: by the child where it said it, by the runtime else."""
    tables = config(actor={})
    tables["subsessiond.toml"] += "live_per_parent = 40\nlive_per_tree = 40\n"
    with Daemon(config=tables) as daemon:
        root = daemon.open()
        nodes = {name: act(daemon, root, *turns) for name, (turns, _) in ENDS.items()}
        found = {}
        for name, node in nodes.items():
            wait_for(daemon, node, "released", within_s=60)
            shown = envelope(daemon, node)
            keys = ("outcome", "stopReason", "reason", "author")
            found[name] = End(*(shown[key] for key in keys))
        assert found == {name: end for name, (_, end) in ENDS.items()}
        mail = daemon.call("subsession.inbox", nodeId=root)["messages"]
        last = {m["senderSessionId"]: m for m in mail if m.get("stage") == "final"}
        assert len([m for m in mail if m.get("stage") == "final"]) == len(last) == len(nodes)
        for name, node in nodes.items():
            by_child = found[name].author == "child"
            assert last[node]["source"] == ("subagent-report" if by_child else "subagent-settled")
            end = found[name]
            said = f'"outcome":"{end.outcome}"' if by_child else f"settled failed ({end.reason})."
            assert said in last[node]["text"]
        check_closing(daemon)


def test_those_that_are_ended_by_others_say_by_whom() -> None:
    """By the person, by their parent, with their parent, by the daemon's death."""
    tables = config(actor={}, lead={"tools": ["read", "edit", "search", "delegate"], "depth": 1})
    with Daemon(config=tables) as daemon:
        root = daemon.open()
        waits: list[Any] = [{"hang": True}]
        mine, dies = (act(daemon, root, waits) for _ in range(2))
        brief: dict[str, Any] = {"brief": {"tokenCap": 60_000}}
        lead = act(daemon, root, waits, role="lead")
        orphan = act(daemon, lead, waits, **brief)
        daemon.call("subsession.cancel", nodeId=mine)
        daemon.call("subsession.cancel", nodeId=lead)
        daemon.kill()
        daemon.start()
        expected = {
            mine: End("cancelled", "aborted", "cancelled-by-operator", "runtime"),
            lead: End("cancelled", "aborted", "cancelled-by-operator", "runtime"),
            orphan: End("orphaned", "aborted", "parent-settled", "runtime"),
            dies: failed("daemon-restart"),
        }
        found = {}
        for node in expected:
            wait_for(daemon, node, "released")
            shown = envelope(daemon, node)
            keys = ("outcome", "stopReason", "reason", "author")
            found[node] = End(*(shown[key] for key in keys))
        assert found == expected
        check_closing(daemon)
