"""S01: a final is announced once, whatever is sent, swept, subscribed or restarted after it."""

import pytest

from tests.support.rawsocket import Stream
from tests.support.tables import tables
from tests.support.yard import STUBBORN, Speaker, Yard, refusal_of, scenario


def say_all(child: Speaker) -> str:
    """Send a final, then the same again and another; gives the id of the first message."""
    first = child.report("the answer", stage="final", outcome="completed")
    again = child.report("the answer", stage="final", outcome="completed")
    assert (first["already"], again["already"]) == (False, True)
    assert again["messageId"] == first["messageId"]
    other = refusal_of(child.report, "another answer", stage="final", outcome="failed")
    assert other.code == "NODE_SETTLED"
    return str(first["messageId"])


def sweep_thrice(yard: Yard, other: str) -> None:
    """Let three sweeps run: each succession begins with one."""
    heir = yard.call("subsession.succeed", childId=other)["nodeId"]
    for _ in range(2):
        assert refusal_of(yard.call, "subsession.succeed", childId=other).code == (
            "ALREADY_SUCCEEDED"
        )
    yard.wait(heir, "released")


@pytest.mark.scenario("S01")
def test_a_final_is_announced_once() -> None:
    """One final gives one event, one message and one frozen duration, for ever."""
    with scenario(tables()) as yard:
        other = yard.settled()
        with Stream(yard.socket) as early:
            early.result("events.subscribe", afterSeq=0)
            child = yard.speaker(script=STUBBORN)
            message = say_all(child)
            settled = early.wait("node.settled", child.node)
            child.close()
            row = yard.wait(child.node, "released")
            sweep_thrice(yard, other)
            with Stream(yard.socket) as late:
                late.result("events.subscribe", afterSeq=0)
                assert late.wait("node.settled", child.node)["seq"] == settled["seq"]
                early.wait("node.released", child.node)
                late.wait("node.released", child.node)
                for stream in (early, late):
                    stream.result("daemon.health")
                    assert len(stream.about("node.settled", child.node)) == 1
                    assert len(stream.about("report.accepted", child.node)) == 1
        mail = yard.mail()
        assert [m["messageId"] for m in mail if m["senderSessionId"] == child.node] == [message]
        seq = yard.call("daemon.health")["seq"]
        yard.daemon.stop()
        yard.daemon.start()
        with Stream(yard.socket) as later:
            later.result("events.subscribe", afterSeq=seq)
            later.result("daemon.health")
            assert [n for n in later.notes if n["node"] in (child.node, yard.root)] == []
        same = ("settledAt", "elapsedMs", "outcome", "reason", "seq")
        assert [yard.row(child.node).get(k) for k in same] == [row.get(k) for k in same]
        assert yard.mail() == mail
        assert "the answer" in yard.call("subsession.node", nodeId=child.node)["envelope"]["output"]


@pytest.mark.scenario("S01")
def test_an_acknowledged_final_does_not_come_again() -> None:
    """A mother that has read a final is not woken by it any more, after a restart neither."""
    with scenario(tables()) as yard:
        boss = yard.speaker("boss")
        child = yard.speaker(parent=boss.node)
        message = say_all(child)
        page = boss.call("subsession.inbox", waitMs=10_000)
        assert [m["messageId"] for m in page["messages"]] == [message]
        assert page["messages"][0]["again"] is False
        again = boss.call("subsession.inbox")["messages"]
        assert [(m["messageId"], m["again"]) for m in again] == [(message, True)]
        assert boss.call("subsession.inbox", acknowledge=True)["messages"] == []
        child.close()
        yard.wait(child.node, "released")
        assert boss.call("subsession.inbox", waitMs=200)["messages"] == []
        assert boss.call("subsession.receipt", messageId=message)["state"] == "acknowledged"
        yard.daemon.kill()
        yard.daemon.start()
        assert [m for m in yard.mail() if m["senderSessionId"] == child.node] == []
        assert yard.mail(boss.node) == []
