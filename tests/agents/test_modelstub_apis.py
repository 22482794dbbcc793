"""The model stub speaks four APIs, in one piece and in a stream, and says the same in both."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from aiohttp import ClientSession

from tests.support.modelstub import Stub, script
from tests.support.speech import GEMINI, SPEECHES, Body, Speech, Told, ask_responses

TEXT = "a text that is longer than one piece of a stream"
ARGS = {"path": "a/b", "text": "so long that it comes in more than one piece"}


@pytest.fixture(params=SPEECHES)
def speech(request: pytest.FixtureRequest) -> Speech:
    """Give each API in turn."""
    return SPEECHES[request.param]


async def ask(stub: Stub, speech: Speech, text: str) -> Told:
    """Ask for an answer in one piece."""
    async with (
        ClientSession() as session,
        session.post(stub.url + speech.path, json=speech.ask(text)) as answer,
    ):
        assert answer.status == 200
        return speech.whole(await answer.json())


async def ask_stream(stub: Stub, speech: Speech, text: str) -> Told:
    """Ask for a stream and put it together."""
    body = speech.ask(text) | ({} if speech.stream else {"stream": True})
    url = stub.url + (speech.stream or speech.path)
    async with ClientSession() as session, session.post(url, json=body) as answer:
        assert answer.content_type == "text/event-stream"
        return speech.join(list(read_events(await answer.text())))


def read_events(stream: str) -> Iterator[Any]:
    """Give what stands in each event; a name must be the one its data has."""
    for event in stream.strip().split("\n\n"):
        *name, line = event.split("\n")
        told = line.removeprefix("data: ")
        if told == "[DONE]":
            return
        data = json.loads(told)
        assert name in ([], [f"event: {data.get('type')}"])
        yield data


@pytest.mark.parametrize("steps", [{"text": TEXT}, {"call": "report", "args": ARGS, "text": "so"}])
async def test_a_stream_says_what_one_piece_says(speech: Speech, steps: Body) -> None:
    """Text, calls, end and figures are the same, and the figures are those that were kept."""
    async with Stub() as stub:
        whole = await ask(stub, speech, script(steps))
        streamed = await ask_stream(stub, speech, script(steps))
        calls = [("report", ARGS)] if "call" in steps else []
        assert (whole.text, whole.calls) == (steps["text"], calls)
        assert whole.finish == speech.finishes[len(calls)]
        kept = [(r.usage.input, r.usage.output) for r in stub.requests if r.usage]
        assert kept == [(whole.input, whole.output), (streamed.input, streamed.output)]
        assert streamed._replace(input=0) == whole._replace(input=0)


async def test_several_calls_come_in_one_answer(speech: Speech) -> None:
    """Calls of one step come together, each with its own arguments."""
    calls = [{"call": "report", "args": {"n": n}} for n in (1, 2)]
    wanted = [("report", {"n": 1}), ("report", {"n": 2})]
    async with Stub() as stub:
        assert (await ask(stub, speech, script({"calls": calls}))).calls == wanted
        assert (await ask_stream(stub, speech, script({"calls": calls}))).calls == wanted


@pytest.mark.parametrize(("finish", "number"), [("limit", 2), ("refusal", 3)])
async def test_an_answer_can_end_otherwise(speech: Speech, finish: str, number: int) -> None:
    """A limit and a refusal are told in the words of the API."""
    text = script({"text": "no", "finish": finish})
    async with Stub() as stub:
        for told in (await ask(stub, speech, text), await ask_stream(stub, speech, text)):
            assert (told.text, told.finish) == ("no", speech.finishes[number])


async def test_errors_are_in_the_words_of_the_api(speech: Speech) -> None:
    """An error has its status, its body, and when to come again."""
    body = speech.ask(script({"error": 429, "retry_after": 3}))
    async with (
        Stub() as stub,
        ClientSession() as session,
        session.post(stub.url + speech.path, json=body) as answer,
    ):
        assert (answer.status, answer.headers["Retry-After"]) == (429, "3")
        assert "429" in (await answer.json())["error"]["message"]


RESULTS: dict[str, Callable[[Body], Any]] = {
    "chat": lambda body: body["messages"].append({"role": "tool", "content": "was done"}),
    "responses": lambda body: body["input"].append(
        {"type": "function_call_output", "call_id": "1", "output": "was done"}
    ),
    "anthropic": lambda body: body["messages"].append(
        {"role": "user", "content": [{"type": "tool_result", "content": "was done"}]}
    ),
    "gemini": lambda body: body["contents"].append(
        {"role": "user", "parts": [{"functionResponse": {"response": "was done"}}]}
    ),
}


@pytest.mark.parametrize("name", SPEECHES)
async def test_tool_results_are_read(name: str) -> None:
    """A result in the API's own shape moves the script on, and is kept."""
    body = SPEECHES[name].ask(script({"call": "report"}, {"text": "after it"}))
    RESULTS[name](body)
    url = SPEECHES[name].path
    async with Stub() as stub:
        async with ClientSession() as session, session.post(stub.url + url, json=body) as answer:
            assert SPEECHES[name].whole(await answer.json()).text == "after it"
        assert "was done" in stub.requests[0].results[0]


async def test_tokens_are_counted_on_demand() -> None:
    """Counting alone is answered by both APIs that have it, and is no request of a turn."""
    async with Stub() as stub, ClientSession() as session:
        for path in ("/v1/messages/count_tokens", f"{GEMINI}:countTokens"):
            async with session.post(stub.url + path, data=b"12345678") as answer:
                told = await answer.json()
                assert (told["input_tokens"], told["totalTokens"]) == (2, 2)
        async with session.get(stub.url + "/v1/models") as answer:
            assert (await answer.json())["data"][0]["id"] == "stub-model"
        assert not stub.requests


async def test_a_tool_that_takes_text_gets_text() -> None:
    """A tool without arguments is called with the text as it is."""
    body = ask_responses(script({"call": "patch", "args": "*** Begin"}))
    body["tools"] = [{"type": "custom", "name": "patch"}]
    async with Stub() as stub, ClientSession() as session:
        async with session.post(stub.url + "/responses", json=body) as answer:
            item = (await answer.json())["output"][0]
        assert (item["type"], item["input"]) == ("custom_tool_call", "*** Begin")
        body["stream"] = True
        async with session.post(stub.url + "/responses", json=body) as answer:
            events = list(read_events(await answer.text()))
        assert "response.custom_tool_call_input.delta" in [event["type"] for event in events]
