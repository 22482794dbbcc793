import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from subsessiond.adapters.runners.acp.connection import (
    AT_ONCE,
    AnsweredError,
    AskedWrongly,
    Connection,
    ConnectionLost,
)
from subsessiond.adapters.runners.frames import Frames
from subsessiond.adapters.runners.lines import Lines
from subsessiond.model.process import InputClosed


class Both:
    """A client, and the agent's end of the lines."""

    def __init__(self) -> None:
        self.written: list[dict[str, Any]] = []
        self.heard: list[tuple[str, dict[str, Any]]] = []
        self.gone = False
        self.gate: asyncio.Event | None = None

    async def write(self, line: bytes) -> None:
        if self.gone:
            raise InputClosed("closed")
        assert line.endswith(b"\n")
        assert line.count(b"\n") == 1
        self.written.append(json.loads(line))

    async def answer(self, method: str, params: dict[str, Any]) -> Any:
        if self.gate is not None:
            await self.gate.wait()
        if method == "wrong":
            raise AskedWrongly(-32602, "no")
        if method == "bug":
            raise LookupError("inside")
        return {"echo": params}

    def hear(self, method: str, params: dict[str, Any]) -> None:
        self.heard.append((method, params))


async def settle() -> None:
    """Let what is under way come to its end."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_an_answer_finds_who_asked() -> None:
    """Answers come in any order, each to its own question."""
    both = Both()
    connection = Connection(both.write, both)
    first = await connection.send("a", {"x": 1})
    second = await connection.send("b", {})
    assert [sent["method"] for sent in both.written] == ["a", "b"]
    assert all(sent["jsonrpc"] == "2.0" for sent in both.written)
    await connection.take({"id": both.written[1]["id"], "result": [2]})
    await connection.take({"id": float(both.written[0]["id"]), "result": None})
    assert await first is None
    assert await second == [2]
    await connection.close()


@pytest.mark.parametrize("name", [99, 0, -1, None, "1", True, [], {}, 1.5, 10**30])
async def test_an_answer_to_nothing_is_counted(name: Any) -> None:
    """What was never asked, or is no id of ours, resolves nothing."""
    both = Both()
    connection = Connection(both.write, both)
    future = await connection.send("a", {})
    await connection.take({"id": name, "result": 1})
    await connection.take({"result": 1})
    assert connection.unmatched == 2
    assert not future.done()
    await connection.close()


async def test_a_second_answer_changes_nothing() -> None:
    """Of doubled answers the first counts; a late one after the end is counted too."""
    both = Both()
    connection = Connection(both.write, both)
    future = await connection.send("a", {})
    await connection.take({"id": 1, "result": "first"})
    await connection.take({"id": 1, "error": {"code": 1, "message": "second"}})
    assert await future == "first"
    late = await connection.send("b", {})
    await connection.close()
    await connection.take({"id": 2, "result": "late"})
    with pytest.raises(ConnectionLost):
        await late
    assert connection.unmatched == 2


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        ({"code": 429, "message": "slow", "data": {"kind": "x"}}, 429, 'slow {"kind":"x"}'),
        ({"code": "E", "message": None, "data": "more"}, None, "more"),
        ({"code": True}, None, ""),
        ("just text", None, "just text"),
        ({"code": 1, "message": "é" * 5_000}, 1, None),
    ],
)
async def test_an_error_is_told_bounded(error: Any, code: int | None, said: str | None) -> None:
    """Whatever stands for an error becomes a code and some words."""
    both = Both()
    connection = Connection(both.write, both)
    future = await connection.send("a", {})
    await connection.take({"id": 1, "result": {"ignored": 1}, "error": error})
    with pytest.raises(AnsweredError) as raised:
        await future
    assert raised.value.code == code
    assert len(raised.value.said.encode()) <= 1_024
    assert said is None or raised.value.said == said
    await connection.close()


@pytest.mark.parametrize("name", [0, None, "text", 1.5, -3])
async def test_a_request_is_answered_under_its_own_id(name: Any) -> None:
    """Every id the agent may choose comes back as it was."""
    both = Both()
    connection = Connection(both.write, both)
    await connection.take({"id": name, "method": "ok", "params": {"a": 1}})
    await settle()
    assert both.written == [{"jsonrpc": "2.0", "id": name, "result": {"echo": {"a": 1}}}]
    await connection.close()


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ({"method": "wrong", "params": {}}, -32602),
        ({"method": "ok", "params": [1]}, -32602),
        ({"method": "ok", "params": "x"}, -32602),
        ({"method": 5}, -32600),
        ({"method": "bug"}, -32603),
    ],
)
async def test_what_is_asked_wrongly_is_answered_with_an_error(
    frame: dict[str, Any], code: int
) -> None:
    """No request stays without an answer, and a bug of ours tells nothing of itself."""
    both = Both()
    connection = Connection(both.write, both)
    await connection.take({"id": 1, **frame})
    await settle()
    (answer,) = both.written
    assert answer["error"]["code"] == code
    assert "inside" not in answer["error"]["message"]
    await connection.close()


async def test_notifications_of_any_kind_are_heard_or_passed_over() -> None:
    """Params that are no object are none; a method that is no text is nothing."""
    both = Both()
    connection = Connection(both.write, both)
    await connection.take({"method": "vendor/thing", "params": {"_meta": {"params": 1}}})
    await connection.take({"method": "x", "params": [1]})
    await connection.take({"method": 7})
    await connection.take({})
    assert both.heard == [("vendor/thing", {"_meta": {"params": 1}}), ("x", {})]
    assert both.written == []
    await connection.close()


async def test_whoever_waits_is_told_when_the_agent_is_gone() -> None:
    """Outstanding questions end with the connection, and new ones are not asked."""
    both = Both()
    connection = Connection(both.write, both)
    asking = asyncio.ensure_future(connection.request("a", {}))
    await settle()
    await connection.close()
    await connection.close()
    assert connection.closed.is_set()
    with pytest.raises(ConnectionLost):
        await asking
    with pytest.raises(ConnectionLost):
        await connection.notify("b", {})


async def test_an_agent_that_does_not_listen_is_lost() -> None:
    """A closed input is a lost connection for who asks, and no fault where we answer."""
    both = Both()
    both.gone = True
    connection = Connection(both.write, both)
    with pytest.raises(ConnectionLost):
        await connection.send("a", {})
    await connection.take({"id": 1, "method": "ok"})
    await settle()
    await connection.take({"id": 1, "result": "never asked"})
    assert connection.unmatched == 1
    await connection.close()


async def test_an_agent_that_asks_without_end_is_not_read_on() -> None:
    """So many requests are worked on at once; reading goes on when one is answered."""
    both = Both()
    both.gate = asyncio.Event()
    connection = Connection(both.write, both)
    for n in range(AT_ONCE):
        await connection.take({"id": n, "method": "ok"})
    one_more = asyncio.ensure_future(connection.take({"id": AT_ONCE, "method": "ok"}))
    await settle()
    assert not one_more.done()
    both.gate.set()
    await one_more
    await settle()
    assert sorted(sent["id"] for sent in both.written) == list(range(AT_ONCE + 1))
    await connection.close()


async def test_answers_under_way_end_with_the_connection() -> None:
    """What is worked on for an agent that is gone is given up."""
    both = Both()
    both.gate = asyncio.Event()
    connection = Connection(both.write, both)
    await connection.take({"id": 1, "method": "ok"})
    await settle()
    await connection.close()
    assert both.written == []


JUNK = st.one_of(
    st.binary(max_size=40).map(lambda raw: raw.replace(b"\n", b" ").replace(b"{", b"(")),
    st.sampled_from([b"42", b"[]", b"null", b'"x"', b"\xef\xbb\xbf", b"\r", b'{"broken', b"{}"]),
)


@given(st.lists(st.one_of(JUNK, st.integers(0, 9)), max_size=12), st.integers(1, 30), st.data())
def test_no_byte_between_frames_loses_a_frame(
    parts: list[Any], size: int, data: st.DataObject
) -> None:
    """Valid frames among junk of any kind, cut anywhere, are all heard, once and in order."""
    stream = b""
    wanted: list[tuple[str, dict[str, Any]]] = []
    for part in parts:
        if isinstance(part, int):
            end = data.draw(st.sampled_from([b"\n", b"\r\n"]))
            params = {"n": len(wanted), "v": part}
            stream += json.dumps({"method": "session/update", "params": params}).encode() + end
            wanted.append(("session/update", params))
        else:
            stream += part + b"\n"

    async def read() -> list[tuple[str, dict[str, Any]]]:
        both = Both()
        connection, lines, frames = Connection(both.write, both), Lines(), Frames()
        for at in range(0, len(stream), size):
            for line in lines.feed(stream[at : at + size]):
                if (found := frames.read(line)) is not None:
                    await connection.take(found)
        await connection.close()
        return both.heard

    assert asyncio.run(read()) == wanted
