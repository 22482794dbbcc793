import json
from typing import Any

import pytest

from subsession.mcp.asked import LOST, Asked, answered
from subsessiond.core.bounds import estimated_tokens


def line(*messages: Any) -> bytes:
    """Write a message, or several as a batch."""
    return json.dumps(messages[0] if len(messages) == 1 else messages).encode()


def ask(call_id: Any, method: str = "tools/call", **params: Any) -> dict[str, Any]:
    """Make a request."""
    return {"jsonrpc": "2.0", "id": call_id, "method": method, "params": params}


def test_a_request_is_due_until_it_is_answered() -> None:
    """A number and its digits are two ids; notifications and answers of the agent want none."""
    assert Asked(line(ask(1))).due == {("number", 1)}
    assert Asked(line(ask("1"))).due == {("text", "1")}
    assert answered(b'{"jsonrpc":"2.0","id":1,"result":{}}') == {("number", 1)}
    assert answered(b'{"jsonrpc":"2.0","method":"notifications/progress","params":{}}') == set()
    assert Asked(line({"method": "notifications/initialized"})).due == set()
    assert Asked(line({"id": 3, "result": {}})).due == set()


@pytest.mark.parametrize(
    "junk",
    [
        b"nonsense",
        b"42",
        b"[]",
        b"\xff",
        b"[" * 50_000,
        b'{"id":true,"method":"x"}',
        b"null",
        b"[1]",
    ],
)
def test_junk_is_due_no_answer_here(junk: bytes) -> None:
    """The daemon says what is wrong with it."""
    asked = Asked(junk)
    assert (asked.due, asked.lost()) == (set(), b"")
    assert answered(junk) in (set(), {("number", True)})


def test_a_lost_call_of_a_tool_is_told_as_a_result() -> None:
    """Models read results: it may have arrived, and what makes a repeat safe."""
    said = json.loads(Asked(line(ask(7, name="subsession_spawn"))).lost())
    assert said["id"] == 7
    assert said["result"]["isError"] is True
    assert said["result"]["content"] == [{"type": "text", "text": LOST}]
    assert said["result"]["structuredContent"]["retryable"] is True
    assert "resultType" not in said["result"]
    assert estimated_tokens(len(LOST)) <= 70


def test_a_version_that_wants_results_named_gets_them_named() -> None:
    """The request says of which version it is."""
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    said = json.loads(Asked(line(ask(7, _meta=meta))).lost())
    assert said["result"]["resultType"] == "complete"


def test_anything_else_that_is_lost_is_an_error() -> None:
    """With the id under which it was asked."""
    said = json.loads(Asked(line(ask("a", "tools/list"))).lost())
    assert (said["id"], said["error"]["message"]) == ("a", LOST)


def test_of_a_batch_what_is_still_due_is_answered_in_one() -> None:
    """In the order of the requests, and nothing that was answered before."""
    asked = Asked(line(ask(1), ask(2, "ping"), {"method": "notifications/x"}, ask(3)))
    asked.due -= answered(b'{"id":2,"result":{}}')
    assert [one["id"] for one in json.loads(asked.lost())] == [1, 3]
    asked.due.clear()
    assert asked.lost() == b""


def test_only_calls_of_tools_can_do_something_twice() -> None:
    """All else can be asked again; a batch is as bold as what is in it."""
    assert Asked(line(ask(1, "tools/list"))).is_repeatable
    assert not Asked(line(ask(1))).is_repeatable
    assert not Asked(line(ask(1, "ping"), ask(2))).is_repeatable


def test_a_handshake_can_be_said_again_under_another_name() -> None:
    """Its request is renamed, its notification stays as it came."""
    hello = Asked(line(ask(1, "initialize", protocolVersion="x")))
    ready = Asked(line({"jsonrpc": "2.0", "method": "notifications/initialized"}))
    assert hello.is_handshake
    assert ready.is_handshake
    assert not Asked(line(ask(1, "ping"))).is_handshake
    assert not Asked(line(ask(1, "initialize"), ask(2, "ping"))).is_handshake
    again = json.loads(hello.renamed("other"))
    assert (again["id"], again["params"]) == ("other", {"protocolVersion": "x"})
    assert ready.renamed("other") == ready.line


def test_what_is_taken_back_is_named() -> None:
    """By a notification of that name with an id, and by nothing else."""
    params = {"requestId": 4}
    assert Asked(line({"method": "notifications/cancelled", "params": params})).cancels == {
        ("number", 4)
    }
    assert Asked(line({"method": "notifications/other", "params": params})).cancels == set()
    assert Asked(line({"method": "notifications/cancelled", "params": 4})).cancels == set()
