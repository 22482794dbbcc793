"""Four APIs of models from the client's side: how each asks, and what its answers say."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

Body = dict[str, Any]


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
