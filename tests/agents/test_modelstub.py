"""The model stub plays what a prompt says, and counts what it tells."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import ClientError, ClientPayloadError, ClientSession

from tests.support.modelstub import Stub, Usage, script

TOOLS = [{"type": "function", "function": {"name": name}} for name in ("mcp__sub__report", "ls")]
Messages = list[dict[str, Any]]


class Client:
    """Asks the stub as a chat model is asked."""

    def __init__(self, stub: Stub, session: ClientSession) -> None:
        self.stub = stub
        self.session = session

    async def ask(self, *said: tuple[str, str], tools: Any = TOOLS, **more: Any) -> Any:
        """Give the choice and the usage; a status above 200 is given as it is."""
        messages = [{"role": role, "content": text} for role, text in said]
        body = {"model": "m", "messages": messages, "tools": tools, **more}
        async with self.session.post(self.stub.url + "/v1/chat/completions", json=body) as answer:
            if answer.status != 200:
                return answer.status
            return (await answer.json())["choices"][0]["message"]

    async def text(self, *said: tuple[str, str], **more: Any) -> Any:
        """Give the text that was said."""
        return (await self.ask(*said, **more))["content"]

    async def calls(self, *said: tuple[str, str]) -> list[tuple[str, Any]]:
        """Give the calls that were made."""
        made = (await self.ask(*said))["tool_calls"]
        told = [call["function"] for call in made]
        return [(call["name"], json.loads(call["arguments"])) for call in told]


@pytest_asyncio.fixture
async def client() -> AsyncIterator[Client]:
    """Give a client of a running stub."""
    async with Stub() as stub, ClientSession() as session:
        yield Client(stub, session)


def user(*steps: Any, **more: Any) -> tuple[str, str]:
    """Give a user message with a script in the middle of it."""
    return "user", f"Do it. {script(*steps, **more)} Thank you."


async def test_the_step_after_the_tool_results_is_played(client: Client) -> None:
    """Each tool result since the script moves it on by a call; a step with text alone ends it."""
    brief = user({"call": "ls"}, {"calls": [{"call": "ls"}, {"call": "ls"}]}, {"text": "done"})
    result = ("tool", "fine")
    assert len(await client.calls(brief)) == 1
    assert len(await client.calls(brief, result)) == 2
    assert len(await client.calls(brief, result, result)) == 2
    assert await client.text(brief, result, result, result) == "done"
    assert [request.step for request in client.stub.requests] == [0, 1, 1, 2]
    assert client.stub.requests[-1].results == ("fine", "fine", "fine")


async def test_the_newest_script_counts(client: Client) -> None:
    """A later script starts anew; results from before it are not its own."""
    older, newer = user({"call": "ls"}, {"text": "old"}), user({"call": "ls"}, {"text": "new"})
    assert await client.calls(older, ("tool", "x"), newer) == [("ls", {})]
    assert await client.text(older, newer, ("assistant", "PLAY: no"), ("tool", "x")) == "new"


async def test_a_later_message_can_be_answered(client: Client) -> None:
    """Words of a message without a script start the steps that were laid by for them."""
    brief = user({"text": "first"}, when={"refused": [{"call": "ls"}, {"text": "blocked"}]})
    assert await client.text(brief, ("user", "thank you")) == "first"
    refused = ("user", "it was refused: report")
    assert await client.calls(brief, ("tool", "x"), refused) == [("ls", {})]
    assert await client.text(brief, refused, ("tool", "x"), ("user", "hm")) == "blocked"


async def test_a_script_inside_a_script_is_an_argument(client: Client) -> None:
    """A script can hand another one on, for a child of the agent."""
    inner = script({"text": "child"})
    brief = user({"call": "ls", "args": {"brief": inner}}, {"text": "mother"})
    assert await client.calls(brief) == [("ls", {"brief": inner})]
    assert await client.text(brief, ("tool", "x")) == "mother"


@pytest.mark.parametrize("name", ["mcp__sub__report", "report", "re:^mcp.*rt$"])
async def test_tools_are_found_by_their_name(client: Client, name: str) -> None:
    """A call names the whole tool, its last part, or a regex; what is said comes first."""
    brief = user({"call": name, "args": {"a": 1}, "text": "so"})
    assert await client.calls(brief) == [("mcp__sub__report", {"a": 1})]
    assert client.stub.requests[0].called == ("mcp__sub__report",)
    assert await client.text(brief) == "so"


async def test_a_step_takes_words_from_what_was_heard(client: Client) -> None:
    """The newest match fills in, from results and later messages alike; none is a fault."""
    take = {"id": r"id: (\w+)", "why": r"because (\w+)"}
    step = {"call": "ls", "args": {"of": ["<id>"], "and": "<why>"}, "take": take}
    brief = user({"call": "ls"}, step, {"text": "done"})
    heard = ("tool", "id: one, id: two"), ("user", "because three")
    assert await client.calls(brief, *heard) == [("ls", {"of": ["two"], "and": "three"})]
    assert "nothing that was heard" in await client.text(brief, ("tool", "id: one"))


async def test_a_step_is_played_until_its_words_are_heard(client: Client) -> None:
    """Its calls are made again with each answer, until every regex was found in one of them."""
    brief = user({"call": "ls", "until": ["[n]orth", "[s]outh"]}, {"text": "done"})
    north, nothing, south = ("tool", "north"), ("tool", ""), ("tool", "south")
    assert await client.calls(brief) == [("ls", {})]
    assert await client.calls(brief, north, nothing) == [("ls", {})]
    assert await client.text(brief, north, nothing, south) == "done"


async def test_what_cannot_be_played_is_told(client: Client) -> None:
    """A tool that is not offered, an unknown word and broken JSON are faults with their reason."""
    briefs = user({"call": "absent"}), user({"txet": "x"}), ("user", "PLAY: [nonsense")
    for brief in (*briefs, user({"finish": "tomorrow"})):
        assert "modelstub: " in await client.text(brief)
    absent, unknown, broken, finish = client.stub.faults
    assert "'absent'" in absent
    assert "mcp__sub__report" in absent
    assert "txet" in unknown
    assert "no JSON" in broken
    assert "tomorrow" in finish


async def test_a_script_that_is_over_says_so(client: Client) -> None:
    """When every call is answered and nothing ends the script, there is no more to play."""
    assert "over" in await client.text(user({"call": "ls"}), ("tool", "x"))
    assert client.stub.requests[0].step is None


async def test_requests_without_tools_are_no_turn(client: Client) -> None:
    """A request that offers no tools gets plain text, or what fits the schema it asks for."""
    schema = {
        "type": "object",
        "required": ["a", "b", "c", "d"],
        "properties": {
            "a": {"enum": ["x", "y"]},
            "b": {"type": ["integer", "null"]},
            "c": {"type": "array", "items": {"const": 7}, "minItems": 2},
            "d": {"anyOf": [{"type": "object", "properties": {"e": {"type": "boolean"}}}]},
            "unwanted": {},
        },
    }
    form = {"type": "json_schema", "json_schema": {"schema": schema}}
    brief = user({"text": "for the agent alone"})
    assert await client.text(brief, tools=[]) == "ok"
    told = json.loads(await client.text(brief, tools=[], response_format=form))
    assert told == {"a": "x", "b": 1, "c": [7, 7], "d": {"e": True}}


async def test_errors_are_answered_so_many_times(client: Client) -> None:
    """A step answers with its error as often as it says, then with the rest of it."""
    brief = user({"error": 529, "times": 2, "text": "after all"})
    assert [await client.ask(brief), await client.ask(brief)] == [529, 529]
    assert await client.text(brief) == "after all"
    assert [request.status for request in client.stub.requests] == [529, 529, 200]
    assert [await client.ask(user({"error": 401})) for _ in range(4)] == [401] * 4
    assert client.stub.requests[0].usage is None


async def test_what_is_told_is_counted(client: Client) -> None:
    """Four bytes are a token; figures of the script's own replace what was counted."""
    await client.ask(user({"text": "12345678"}))
    await client.ask(user({"text": "x", "usage": {"cache_read": 7, "input": 3, "output": 2}}))
    first, second = client.stub.requests
    assert first.usage == Usage(input=-(-first.size // 4), output=3)  # ["12345678"]
    assert second.usage == Usage(input=3, cache_read=7, output=2)
    assert client.stub.total() == Usage(first.usage.input + 3, 7, 0, 5)
    assert client.stub.holding("12345678") == [first]


async def test_a_request_is_held_until_it_is_released(client: Client) -> None:
    """A step waits at a name; who waits is known, and once released nobody waits there again."""
    brief = user({"wait": "gate", "text": "through"})
    asking = asyncio.create_task(client.text(brief))
    await client.stub.wait_held("gate")
    assert not asking.done()
    client.stub.release("gate")
    assert await asking == "through"
    assert await client.text(brief) == "through"
    assert not client.stub.held


async def test_a_held_request_ends_with_its_client(client: Client) -> None:
    """A client that goes away frees the place where its request was held."""
    asking = asyncio.create_task(client.text(user({"wait": "never", "text": "x"})))
    await client.stub.wait_held("never")
    asking.cancel()
    await client.stub.wait_until(lambda stub: not stub.held)


async def test_waiting_has_a_bound(client: Client) -> None:
    """What does not come is an error in time."""
    with pytest.raises(TimeoutError):
        await client.stub.wait_held("nobody", seconds=0.01)


async def test_a_stub_that_closes_lets_nobody_hang() -> None:
    """Requests that are held when the stub closes are broken off."""
    async with ClientSession() as session:
        async with Stub() as stub:
            asking = asyncio.create_task(Client(stub, session).text(user({"wait": "never"})))
            await stub.wait_held("never")
        with pytest.raises(ClientError):
            await asking


async def test_streams_break_and_junk_comes(client: Client) -> None:
    """A stream breaks in the middle where the script says so; junk comes in place of an answer."""
    url = client.stub.url + "/v1/chat/completions"

    async def read(brief: tuple[str, str]) -> bytes:
        messages = [{"role": brief[0], "content": brief[1]}]
        body = {"model": "m", "messages": messages, "tools": TOOLS, "stream": True}
        async with client.session.post(url, json=body) as answer:
            return await answer.read()

    assert await read(user({"junk": "<html>"})) == b"<html>"
    with pytest.raises(ClientPayloadError):
        await read(user({"text": "abcdef", "chunk": 1, "cut": 3}))
    long = await read(user({"text": "abc", "repeat": 2, "chunk": 2, "pace": 0.001}))
    assert [piece in long for piece in (b'"ab"', b'"ca"', b'"bc"')] == [True] * 3


async def test_unknown_paths_are_noted(client: Client) -> None:
    """What is asked for and not served is kept, so that a test can see calls it did not expect."""
    async with client.session.get(client.stub.url + "/telemetry") as answer:
        assert answer.status == 404
    assert client.stub.strays == ["GET /telemetry"]
