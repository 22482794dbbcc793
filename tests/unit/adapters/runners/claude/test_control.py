import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from subsessiond.adapters.runners.claude.control import (
    AT_ONCE,
    MESSAGE_BYTES,
    AgentGone,
    AnsweredError,
    AskedWrongly,
    Control,
)
from subsessiond.adapters.runners.frames import parse
from subsessiond.model.process import InputClosed


class Side:
    """The other end of the pipe, and who answers at ours."""

    def __init__(self) -> None:
        self.said: list[dict[str, Any]] = []
        self.asked: list[dict[str, Any]] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.is_gone = False
        self.control = Control(self.write, self.answer)

    async def write(self, line: bytes) -> None:
        """Take a line, where anybody listens."""
        if self.is_gone:
            raise InputClosed("it left")
        assert line.endswith(b"\n")
        self.said.append(parse(line))

    async def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Answer, wrongly asked or not."""
        self.asked.append(asked)
        await self.may_answer.wait()
        if asked.get("subtype") == "wrong":
            raise AskedWrongly("no such thing")
        if asked.get("subtype") == "bug":
            raise ValueError("a secret detail")
        return {"fine": True}

    async def ask(self, name: Any, **asked: Any) -> None:
        """Ask something of us."""
        frame = {"type": "control_request", "request_id": name, "request": asked}
        assert await self.control.take(frame)

    async def until(self, count: int) -> list[dict[str, Any]]:
        """Wait until so much was said to it."""
        async with asyncio.timeout(5):
            while len(self.said) < count:  # noqa: ASYNC110 -- what is written tells nobody
                await asyncio.sleep(0)
        return self.said


@pytest.fixture
async def side() -> AsyncIterator[Side]:
    """A connection whose other end is the test."""
    made = Side()
    yield made
    made.may_answer.set()
    await made.control.close()


def response(name: str, **said: Any) -> dict[str, Any]:
    """Write the answer to one of our requests."""
    return {"type": "control_response", "response": {"request_id": name, **said}}


async def test_what_we_ask_is_answered_once(side: Side) -> None:
    """By its name; echoes, doubles and answers to nothing change nothing."""
    asking = asyncio.ensure_future(side.control.request("initialize", hooks={}))
    (frame,) = await side.until(1)
    assert frame["request"] == {"subtype": "initialize", "hooks": {}}
    name = frame["request_id"]
    for stray in ("other", 4, None):
        assert await side.control.take(response(stray, subtype="success"))  # type: ignore[arg-type]
    assert await side.control.take({"type": "control_response"})
    assert await side.control.take(response(name, subtype="success", response={"pid": 1}))
    assert await side.control.take(response(name, subtype="error", error="late"))
    assert await asking == {"pid": 1}


async def test_an_answer_without_content_is_empty(side: Side) -> None:
    """Success may say nothing more."""
    asking = asyncio.ensure_future(side.control.request("initialize"))
    (frame,) = await side.until(1)
    await side.control.take(response(frame["request_id"], subtype="success", response=[1]))
    assert await asking == {}


@pytest.mark.parametrize(("error", "words"), [("no é" * 20_000, "no é"), (4, "without words")])
async def test_an_error_is_told_bounded(side: Side, error: Any, words: str) -> None:
    """Whatever the agent says, some of it is kept."""
    asking = asyncio.ensure_future(side.control.request("initialize"))
    (frame,) = await side.until(1)
    await side.control.take(response(frame["request_id"], subtype="error", error=error))
    with pytest.raises(AnsweredError) as caught:
        await asking
    assert words in str(caught.value)
    assert len(str(caught.value).encode()) <= MESSAGE_BYTES


async def test_everything_that_is_asked_of_us_has_an_answer(side: Side) -> None:
    """Also a wrong question, also a fault of ours, of which nothing is told."""
    await side.ask("a", subtype="fine")
    await side.ask("b", subtype="wrong")
    await side.ask("c", subtype="bug")
    await side.control.take({"type": "control_request", "request_id": "d", "request": 4})
    said = {frame["response"]["request_id"]: frame["response"] for frame in await side.until(4)}
    assert said["a"] == {"request_id": "a", "subtype": "success", "response": {"fine": True}}
    assert said["b"] == {"request_id": "b", "subtype": "error", "error": "no such thing"}
    assert said["c"] == {"request_id": "c", "subtype": "error", "error": "internal error"}
    assert said["d"]["subtype"] == "success"


@pytest.mark.parametrize("name", [None, 4, ["a"], "x" * 300])
async def test_a_question_without_a_name_cannot_be_answered(side: Side, name: Any) -> None:
    """It is not worked on either."""
    await side.ask(name, subtype="fine")
    await asyncio.sleep(0)
    assert (side.asked, side.said) == ([], [])


async def test_a_question_that_is_taken_back_is_not_answered(side: Side) -> None:
    """Nor is one that is asked twice under one name answered twice."""
    side.may_answer.clear()
    await side.ask("a", subtype="fine")
    await side.ask("a", subtype="fine")
    await side.ask("b", subtype="fine")
    await asyncio.sleep(0)
    for name in ("a", "unknown", 4):
        assert await side.control.take({"type": "control_cancel_request", "request_id": name})
    side.may_answer.set()
    (frame,) = await side.until(1)
    assert frame["response"]["request_id"] == "b"
    assert len(side.asked) == 2


async def test_no_flood_of_questions_is_worked_on_at_once(side: Side) -> None:
    """While too many are, nothing more is read."""
    side.may_answer.clear()
    for number in range(AT_ONCE):
        await side.ask(f"q{number}", subtype="fine")
    one_more = asyncio.ensure_future(side.ask("more", subtype="fine"))
    for _ in range(5):
        await asyncio.sleep(0)
    assert not one_more.done()
    side.may_answer.set()
    await one_more
    assert len(await side.until(AT_ONCE + 1)) == AT_ONCE + 1


async def test_what_is_said_has_its_name(side: Side) -> None:
    """By which the agent tells what becomes of it; nothing becomes a command of the agent's own."""
    await side.control.say("u1", "hello")
    await side.control.say("u2", "/compact")
    await side.control.interrupt()
    first, second, third = side.said
    assert (first["type"], first["uuid"]) == ("user", "u1")
    assert first["message"] == {"role": "user", "content": "hello"}
    assert second["message"]["content"] == "\n/compact"
    assert third["request"] == {"subtype": "interrupt"}


async def test_all_else_is_not_of_this_kind(side: Side) -> None:
    """What a line tells of the agent's work is for others to read."""
    for kind in ("result", None, ["control_request"]):
        assert not await side.control.take({"type": kind})


async def test_nobody_waits_for_an_agent_that_has_gone(side: Side) -> None:
    """Requests fail, answers are dropped, and what comes late is not worked on."""
    side.may_answer.clear()
    asking = asyncio.ensure_future(side.control.request("initialize"))
    await side.until(1)
    await side.ask("a", subtype="fine")
    await side.control.close()
    with pytest.raises(AgentGone):
        await asking
    for saying in (side.control.say("u", "x"), side.control.interrupt()):
        with pytest.raises(AgentGone):
            await saying
    await side.ask("b", subtype="fine")
    await side.control.close()
    assert len(side.said) == 1


async def test_an_input_that_is_closed_is_an_agent_that_has_gone(side: Side) -> None:
    """Whoever speaks hears of it; an answer that nobody takes is nobody's fault."""
    side.is_gone = True
    with pytest.raises(AgentGone, match="it left"):
        await side.control.request("initialize")
    await side.ask("a", subtype="fine")
    for _ in range(5):
        await asyncio.sleep(0)
    assert side.asked == [{"subtype": "fine"}]
