"""A parent may end its turn and wait: mail begins its next one."""

import json

from tests.support.daemon import Daemon

AGENTS = """
[tiers]
lead = "script"
worker = "script"

[agents.script]
runner = "scripted"
"""


def script(*steps: object) -> str:
    """Make a mission that is its own script."""
    return json.dumps({"steps": steps})


def test_a_parent_that_ended_its_turn_is_woken_by_its_childs_final() -> None:
    """A mid-level parent waits without a turn, hears its child's final, and reports its own."""
    final = {"stage": "final", "outcome": "completed"}
    worker = script({"pauseMs": 100}, {"report": {**final, "output": "from below"}})
    lead = script(
        {"spawn": {"role": "worker", "brief": {"mission": worker}}},
        {"endTurn": True},
        {"waitMail": 1},
        {"report": {**final, "output": "both done"}},
    )
    with Daemon(config={"agents.toml": AGENTS}) as daemon:
        root = daemon.open()
        brief = {"mission": lead}
        child = daemon.call("subsession.spawn", parentId=root, role="lead", brief=brief)
        page = daemon.call("subsession.inbox", nodeId=root, waitMs=20_000)
        rows = daemon.rows()
    (message,) = page["messages"]
    assert message["senderSessionId"] == child["nodeId"]
    assert "both done" in message["text"]
    assert "from below" not in message["text"]
    (below,) = (row for row in rows.values() if row.get("parentId") == child["nodeId"])
    assert below["outcome"] == "completed"


def test_a_child_that_ends_its_turn_twice_without_a_final_is_asked_once_and_settled() -> None:
    """Asked once for its final; its last unnamed report is promoted when it ends cleanly again."""
    with Daemon(config={"agents.toml": AGENTS}) as daemon:
        root = daemon.open()
        brief = {"mission": script({"report": {"output": "all I know"}})}
        daemon.call("subsession.spawn", parentId=root, role="worker", brief=brief)
        mute = {"mission": script({"sign": {"sign": "tool"}})}
        daemon.call("subsession.spawn", parentId=root, role="worker", brief=mute)
        daemon.call("subsession.tree", sinceSeq=0)
        settled = 0
        seq = 0
        while settled < 2:
            page = daemon.call("subsession.tree", sinceSeq=seq, waitMs=20_000)
            seq = page["seq"]
            rows = daemon.rows()
            settled = sum("outcome" in row for row in rows.values())
    reasons = sorted(row["reason"] for row in rows.values() if "outcome" in row)
    assert reasons == ["ended-without-final", "promoted"]
