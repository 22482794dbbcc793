"""The bridge between pipes and a daemon that a test plays."""

import os
import threading
from typing import Any

import pytest

from subsession.errors import StartFailed
from subsession.mcp import bridge
from subsession.mcp.asked import LOST
from subsession.mcp.reach import RefusedError
from tests.support.played import Agent, Played, Slow


def test_lines_go_both_ways_in_their_order() -> None:
    """What the daemon says of itself goes through as well."""
    link = Played()
    agent = Agent(link)
    for n in range(3):
        agent.ask(n)
    assert [link.read()["id"] for _ in range(3)] == [0, 1, 2]
    link.say({"jsonrpc": "2.0", "method": "notifications/progress", "params": {}})
    for n in (2, 0, 1):
        link.answer(n)
    assert agent.hear()["method"] == "notifications/progress"
    assert [agent.hear()["id"] for _ in range(3)] == [2, 0, 1]
    link.die()
    assert agent.leave() == []


def test_what_was_under_way_is_answered_once_and_nothing_else() -> None:
    """A call that was answered, or taken back, is over; a notification never wants an answer."""
    first = Played()
    agent = Agent(first)
    agent.ask(1)
    agent.ask(2)
    agent.ask(3)
    agent.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}})
    for _ in range(4):
        first.read()
    first.answer(1)
    assert agent.hear()["id"] == 1
    first.die()
    lost = agent.hear()
    assert (lost["id"], lost["result"]["content"][0]["text"]) == (2, LOST)
    assert agent.leave() == []


def test_the_next_daemon_is_told_of_the_handshake_and_the_agent_is_not() -> None:
    """Under another name, so that its answer is nobody's; then the line that wanted it."""
    first, second = Played(), Played()
    agent = Agent(first, second)
    agent.ask(1, "initialize", protocolVersion="x")
    agent.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
    first.answer(first.read()["id"])
    first.read()
    assert agent.hear()["id"] == 1
    first.die()
    agent.ask(2)
    hello, ready, call = second.read(), second.read(), second.read()
    assert (hello["method"], hello["params"]) == ("initialize", {"protocolVersion": "x"})
    assert hello["id"] not in (1, 2)
    assert ready["method"] == "notifications/initialized"
    second.answer(hello["id"])
    second.answer(call["id"])
    assert agent.hear()["id"] == 2
    second.die()
    assert agent.leave() == []


def test_what_does_nothing_is_asked_for_again() -> None:
    """A list of tools that was lost comes from the next daemon; the agent notices nothing."""
    first, second = Played(), Played()
    agent = Agent(first, second)
    agent.ask("l", "tools/list")
    first.read()
    first.die()
    assert second.read()["id"] == "l"
    second.answer("l", tools=[])
    assert agent.hear()["result"] == {"tools": []}
    second.die()
    assert agent.leave() == []


def test_a_daemon_that_dies_of_a_line_is_not_given_it_for_ever() -> None:
    """After three of them it counts as lost."""
    links = [Played() for _ in range(3)]
    agent = Agent(*links)
    agent.ask(1, "tools/list")
    for link in links:
        link.read()
        link.die()
    assert agent.hear()["error"]["message"] == LOST
    assert agent.leave() == []


def test_a_line_that_could_not_be_sent_goes_to_the_next_daemon() -> None:
    """Of a call that was surely not read nobody is told; one that was torn may have been."""
    first, second, third = Played(), Played(), Played()
    agent = Agent(first, second, third)
    agent.ask(1, "ping")
    first.read()
    first.gone = True  # nobody has seen it yet
    agent.ask(2)
    assert [second.read()["id"] for _ in range(2)] == [1, 2]
    second.answer(2)
    assert agent.hear()["id"] == 2
    second.is_torn = True
    agent.ask(3)
    assert third.read()["id"] == 1
    assert agent.hear()["result"]["content"][0]["text"] == LOST
    third.answer(1)
    assert agent.hear()["id"] == 1
    for link in (first, second, third):
        link.die()
    assert agent.leave() == []


def test_what_a_daemon_said_before_it_went_counts() -> None:
    """Though nothing could be sent to it any more when its answer was read."""
    first, second = Slow(), Played()
    agent = Agent(first, second)
    agent.ask(1, "ping")
    first.read()
    first.answer(1)
    first.gone = True
    agent.ask(2)
    first.go_on.set()
    assert second.read()["id"] == 2
    second.answer(2)
    assert [agent.hear()["id"] for _ in range(2)] == [1, 2]
    second.die()
    assert agent.leave() == []


def test_without_a_daemon_each_request_is_answered_with_why() -> None:
    """A sentence for a person, bounded; the next line tries again."""
    link = Played()
    failed = StartFailed("it ended at once", "/log", ("x" * 9_000,))
    agent = Agent(failed, RefusedError({"code": 9002, "message": "no", "data": {"a": 1}}), link)
    agent.ask(1, "initialize")
    error = agent.hear()["error"]
    assert error["code"] == bridge.UNREACHABLE
    assert "did not come up" in error["message"]
    assert len(error["message"]) <= bridge.MESSAGE_MOST
    agent.ask(2)
    assert agent.hear()["result"]["structuredContent"] == {"a": 1}
    agent.ask(3)
    assert link.read()["method"] == "initialize"
    assert link.read()["id"] == 3
    link.answer(3)
    assert agent.hear()["id"] == 3
    link.die()
    assert agent.leave() == []


def test_batches_are_answered_as_batches() -> None:
    """What is lost of one comes in one line."""
    link = Played()
    agent = Agent(link)
    calls: list[Any] = [
        {"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {}} for n in (1, 2)
    ]
    agent.say(calls)
    assert len(link.read()) == 2
    link.die()
    assert [one["id"] for one in agent.hear()] == [1, 2]
    assert agent.leave() == []


def test_answers_may_come_for_a_moment_after_the_agent_has_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A line that somebody pipes in is answered, and then nothing more is waited for."""
    monkeypatch.setattr(bridge, "LAST_S", 60)
    link = Played()
    agent = Agent(link)
    agent.ask(1)
    link.read()
    threading.Timer(0.05, lambda: link.answer(1)).start()
    assert [one["id"] for one in agent.leave()] == [1]
    link.die()


def test_a_line_without_an_end_is_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands last is sent, and nobody waits for ever for an answer."""
    monkeypatch.setattr(bridge, "LAST_S", 0.05)
    link = Played()
    agent = Agent(link)
    os.write(agent.asks, b'{"id":9,"method":"tools/call"}')
    assert agent.leave() == []
    assert link.read()["id"] == 9
    link.die()


def test_what_comes_too_late_is_written_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """The descriptor may be somebody else's by then."""
    monkeypatch.setattr(bridge, "LAST_S", 0)
    link = Played()
    agent = Agent(link)
    agent.ask(1)
    link.read()
    assert agent.leave() == []
    link.answer(1)
    link.die()
