"""The model stub speaks four APIs, in one piece and in a stream, and says the same in both."""

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
from aiohttp import ClientSession

from tests.support.modelstub import Stub, script

Body = dict[str, Any]
TEXT = "a text that is longer than one piece of a stream"
ARGS = {"path": "a/b", "text": "so long that it comes in more than one piece"}


class Told(NamedTuple):
    """What an answer says, whatever the API."""

    text: str
    calls: list[tuple[str, Any]]
    finish: str
    input: int
    output: int


class Speech(NamedTuple):
    """How one API is spoken."""

    path: str
    stream: str
    """The path of a stream, where the body does not ask for it."""
    ask: Callable[[str], Body]
    whole: Callable[[Any], Told]
    join: Callable[[list[Any]], Told]
    """Puts the events of a stream together."""
    finishes: tuple[str, str, str, str]
    """End of a text, of a step with calls, at the limit, by a refusal."""


def ask_chat(text: str) -> Body:
    tools = [{"type": "function", "function": {"name": "report"}}]
    return {"model": "m", "messages": [{"role": "user", "content": text}], "tools": tools}


def read_chat(answer: Any) -> Told:
    choice, usage = answer["choices"][0], answer["usage"]
    made = [call["function"] for call in choice["message"].get("tool_calls", [])]
    calls = [(call["name"], json.loads(call["arguments"])) for call in made]
    text = choice["message"]["content"] or ""
    figures = usage["prompt_tokens"], usage["completion_tokens"]
    return Told(text, calls, choice["finish_reason"], *figures)


def join_chat(events: list[Any]) -> Told:
    deltas = [event["choices"][0]["delta"] for event in events if event["choices"]]
    calls: dict[int, list[str]] = {}
    for call in [call for delta in deltas for call in delta.get("tool_calls", [])]:
        made = calls.setdefault(call["index"], ["", ""])
        made[0] += call["function"].get("name", "")
        made[1] += call["function"]["arguments"]
    joined = [{"function": {"name": n, "arguments": a}} for n, a in calls.values()]
    message = {"content": "".join(d.get("content", "") for d in deltas), "tool_calls": joined}
    finish = events[-2]["choices"][0]["finish_reason"]
    choice = {"message": message, "finish_reason": finish}
    return read_chat({"choices": [choice], "usage": events[-1]["usage"]})


def ask_responses(text: str) -> Body:
    inner = {"type": "function", "name": "report"}
    tools = [{"type": "namespace", "name": "mcp__sub", "tools": [inner]}]
    content = [{"type": "input_text", "text": text}]
    message = {"type": "message", "role": "user", "content": content}
    return {"model": "m", "input": [message], "tools": tools}


def read_responses(answer: Any) -> Told:
    calls, text = [], ""
    for item in answer["output"]:
        if item["type"] == "function_call":
            name = item["namespace"].removeprefix("mcp__sub") + item["name"]
            calls.append((name, json.loads(item["arguments"])))
        else:
            part = item["content"][0]
            text += part.get("text") or part["refusal"]
    usage = answer["usage"]
    kinds = [item["content"][0]["type"] for item in answer["output"] if "content" in item]
    finish = "refusal" if "refusal" in kinds else answer["status"]
    return Told(text, calls, finish, usage["input_tokens"], usage["output_tokens"])


def join_responses(events: list[Any]) -> Told:
    told = read_responses(events[-1]["response"])
    ends = ("response.output_text.delta", "response.refusal.delta")
    text = "".join(event["delta"] for event in events if event["type"] in ends)
    items = [e["item"] for e in events if e["type"] == "response.output_item.done"]
    assert items == events[-1]["response"]["output"]
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    return told._replace(text=text)


def ask_anthropic(text: str) -> Body:
    content = [{"type": "text", "text": text}]
    message = {"role": "user", "content": content}
    return {"model": "m", "messages": [message], "tools": [{"name": "report"}]}


def read_anthropic(answer: Any) -> Told:
    blocks, usage = answer["content"], answer["usage"]
    text = "".join(block["text"] for block in blocks if block["type"] == "text")
    calls = [(block["name"], block["input"]) for block in blocks if block["type"] == "tool_use"]
    figures = usage["input_tokens"], usage["output_tokens"]
    return Told(text, calls, answer["stop_reason"], *figures)


def join_anthropic(events: list[Any]) -> Told:
    blocks: list[Body] = []
    for event in events:
        if event["type"] == "content_block_start":
            blocks.append({**event["content_block"], "json": ""})
        elif event["type"] == "content_block_delta":
            blocks[event["index"]]["json"] += event["delta"].get("partial_json", "")
            if "text" in event["delta"]:
                blocks[event["index"]]["text"] += event["delta"]["text"]
    for block in blocks:
        block["input"] = json.loads(block["json"] or "{}")
    last = next(event for event in events if event["type"] == "message_delta")
    assert events[0]["message"]["usage"]["input_tokens"] == last["usage"]["input_tokens"]
    return read_anthropic({**last["delta"], "content": blocks, "usage": last["usage"]})


def ask_gemini(text: str) -> Body:
    tools = [{"functionDeclarations": [{"name": "report"}]}]
    return {"contents": [{"role": "user", "parts": [{"text": text}]}], "tools": tools}


def read_gemini(answer: Any) -> Told:
    candidate, usage = answer["candidates"][0], answer["usageMetadata"]
    parts = candidate["content"]["parts"]
    text = "".join(part.get("text", "") for part in parts)
    made = [part["functionCall"] for part in parts if "functionCall" in part]
    calls = [(call["name"], call["args"]) for call in made]
    figures = usage["promptTokenCount"], usage["candidatesTokenCount"]
    return Told(text, calls, candidate["finishReason"], *figures)


def join_gemini(events: list[Any]) -> Told:
    parts = [part for event in events for part in event["candidates"][0]["content"]["parts"]]
    last = events[-1]["candidates"][0]
    candidate = {**last, "content": {"parts": parts}}
    return read_gemini({"candidates": [candidate], "usageMetadata": events[-1]["usageMetadata"]})


GEMINI = "/v1beta/models/m"
SPEECHES = {
    "chat": Speech(
        *("/v1/chat/completions", "", ask_chat, read_chat, join_chat),
        ("stop", "tool_calls", "length", "content_filter"),
    ),
    "responses": Speech(
        *("/v1/responses", "", ask_responses, read_responses, join_responses),
        ("completed", "completed", "incomplete", "refusal"),
    ),
    "anthropic": Speech(
        *("/v1/messages", "", ask_anthropic, read_anthropic, join_anthropic),
        ("end_turn", "tool_use", "max_tokens", "refusal"),
    ),
    "gemini": Speech(
        f"{GEMINI}:generateContent",
        *(f"{GEMINI}:streamGenerateContent", ask_gemini, read_gemini, join_gemini),
        ("STOP", "STOP", "MAX_TOKENS", "SAFETY"),
    ),
}


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
