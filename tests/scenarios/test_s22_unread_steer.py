"""S22: a word to a running child is accepted, then read or returned; it never just vanishes.

In-process children; ACP and headless agents join with their runners. Programs take no words at all.
"""

from typing import Any

import pytest

from subsession.errors import Refused
from tests.support.tables import tables
from tests.support.yard import Speaker, Yard, refusal_of, scenario, script

FINAL = {"report": {"output": "done", "stage": "final", "outcome": "completed"}}
STEER_BYTES = 6_000


def child_of(boss: Speaker, *steps: dict[str, Any]) -> str:
    """Let a boss start a scripted child."""
    order = {"role": "script", "brief": {"mission": script(*steps)}, "waitMs": 10_000}
    return str(boss.call("subsession.spawn", **order)["nodeId"])


def steer(boss: Speaker, node: str, text: str) -> str:
    """Say something; gives the id of the message."""
    answer = boss.call("subsession.steer", nodeId=node, text=text)
    assert "accepted" in answer["text"]
    assert "not read" in answer["text"]
    return str(answer["messageId"])


def state(boss: Speaker, message: str) -> str:
    """Ask how far a message has come."""
    return str(boss.call("subsession.receipt", messageId=message)["state"])


def mail_about(yard: Yard, boss: Speaker, node: str) -> list[dict[str, Any]]:
    """Give the boss's mail about a child that has settled."""
    yard.wait(node, "released")
    page = boss.call("subsession.inbox", waitMs=5_000)
    return [m for m in page["messages"] if m["senderSessionId"] == node]


@pytest.mark.scenario("S22")
def test_words_are_read_in_order_and_what_was_not_read_comes_back() -> None:
    """Two of three are read, oldest first, one a step; the third is returned by its name."""
    with scenario(tables()) as yard:
        boss = yard.speaker("boss")
        busy = {"sign": {"sign": "tool", "phase": "in-tool"}}
        node = child_of(
            boss, busy, {"pauseMs": 500}, {"awaitPrompt": True}, {"awaitPrompt": True}, FINAL
        )
        first, second, third = (steer(boss, node, "the same words") for _ in range(3))
        assert len({first, second, third}) == 3
        assert state(boss, first) == "staged"
        mail = mail_about(yard, boss, node)
        assert [state(boss, m) for m in (first, second)] == ["acknowledged", "acknowledged"]
        assert state(boss, third) == "undeliverable"
        notices = [m for m in mail if m["source"] == "notice"]
        assert [third in m["text"] for m in notices] == [True]
        assert not any(first in m["text"] or second in m["text"] for m in notices)


@pytest.mark.scenario("S22")
def test_a_word_that_meets_the_end_is_read_returned_or_refused() -> None:
    """However a word and an end cross, the sender hears what became of it."""
    with scenario(tables(spawn_burst=100)) as yard:
        boss = yard.speaker("boss")
        refusals: set[str] = set()
        for _ in range(5):
            node = child_of(boss, {"awaitPrompt": True}, FINAL)
            accepted = []
            for _ in range(20):
                try:
                    accepted.append(steer(boss, node, "faster"))
                except Refused as refused:
                    refusals.add(refused.refusal.code)
                    break
            texts = "".join(m["text"] for m in mail_about(yard, boss, node))
            states = {message: state(boss, message) for message in accepted}
            assert set(states.values()) <= {"acknowledged", "undeliverable"}
            assert "acknowledged" in states.values()
            for message, became in states.items():
                assert (message in texts) == (became == "undeliverable")
            boss.call("subsession.inbox", acknowledge=True)
        assert refusals <= {"NODE_NOT_LIVE"}


@pytest.mark.scenario("S22")
def test_who_cannot_be_told_is_refused() -> None:
    """Settled, another's, one that cannot hear, too many words: refused, and nothing is written."""
    with scenario(tables()) as yard:
        boss, other = yard.speaker("boss"), yard.speaker("boss")
        done = child_of(boss, FINAL)
        yard.wait(done, "released")
        nephew = child_of(other, {"awaitPrompt": True})
        deaf = yard.hire("sleep", "600", parent=boss.node)
        hearing = child_of(boss, {"awaitPrompt": True}, {"awaitPrompt": True}, FINAL)
        seq = yard.call("daemon.health")["seq"]
        refusals = {
            "NODE_NOT_LIVE": {"nodeId": done, "text": "wait"},
            "NOT_FOUND": {"nodeId": nephew, "text": "wait"},
            "NOT_ALLOWED": {"nodeId": deaf, "text": "wait"},
            "MESSAGE_TOO_LARGE": {"nodeId": hearing, "text": "ä" * (STEER_BYTES // 2) + "b"},
        }
        for code, params in refusals.items():
            refusal = refusal_of(boss.call, "subsession.steer", **params)
            assert refusal.code == code
        assert (refusal.limit, refusal.actual) == (STEER_BYTES, STEER_BYTES + 1)
        assert yard.call("daemon.health")["seq"] == seq
        steer(boss, hearing, "ä" * (STEER_BYTES // 2))
        steer(boss, hearing, "go on")
        assert yard.wait(hearing)["outcome"] == "completed"
