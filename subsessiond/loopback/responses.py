"""OpenAI responses. Source: platform.openai.com/docs/api-reference/responses."""

from collections.abc import Iterator
from itertools import count
from typing import Any, Final

import orjson

from subsessiond.loopback.chat import error
from subsessiond.loopback.offer import Offer
from subsessiond.loopback.reply import Api, Asked, Body, Call, Event, Reply, Said, flatten

RESULTS: Final = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")


def read(body: Body) -> Asked:
    """Read a request."""
    given = body.get("input", [])
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    form = (body.get("text") or {}).get("format") or {}
    schema = form.get("schema") if form.get("type") == "json_schema" else None
    return Asked(tuple(_read_items(items)), tuple(_read_offers(body.get("tools") or [])), schema)


def _read_items(items: list[Body]) -> Iterator[Said]:
    for item in items:
        if item.get("type") in RESULTS:
            output = item.get("output")
            yield Said("tool", flatten(output) or orjson.dumps(output).decode())
        elif item.get("role") in ("user", "assistant"):
            yield Said(item["role"], flatten(item.get("content")))


def _read_offers(tools: list[Body]) -> Iterator[Offer]:
    for tool in tools:
        if tool.get("type") == "namespace":
            yield from (Offer(inner["name"], tool["name"]) for inner in tool.get("tools", []))
        elif "name" in tool:
            yield Offer(tool["name"], free=tool.get("type") == "custom")


def _items(reply: Reply) -> list[Body]:
    part = (
        {"type": "refusal", "refusal": reply.text}
        if reply.finish == "refusal"
        else {"type": "output_text", "text": reply.text, "annotations": []}
    )
    message = {"type": "message", "id": f"msg_{reply.id}", "role": "assistant"}
    spoken = [{**message, "status": "completed", "content": [part]}]
    return (spoken if reply.text or not reply.calls else []) + [_call(c) for c in reply.calls]


def _call(call: Call) -> Body:
    args = call.args if isinstance(call.args, str) else orjson.dumps(call.args).decode()
    head = {"id": f"fc_{call.id}", "call_id": call.id, "status": "completed"}
    head["name"] = call.offer.name
    if call.offer.free:
        return {**head, "type": "custom_tool_call", "input": args}
    named = {"namespace": call.offer.namespace} if call.offer.namespace else {}
    return {**head, **named, "type": "function_call", "arguments": args}


def whole(reply: Reply) -> Body:
    """Write an answer in one piece."""
    return _response(reply, _items(reply), _usage(reply))


def _response(reply: Reply, items: list[Body], usage: Body | None, status: str = "") -> Body:
    limited = reply.finish == "limit"
    return {
        "id": f"resp_{reply.id}",
        "object": "response",
        "created_at": 1,
        "status": status or ("incomplete" if limited else "completed"),
        "model": reply.model,
        "output": items,
        "usage": usage,
        "error": None,
        "incomplete_details": {"reason": "max_output_tokens"} if limited and not status else None,
    }


def _usage(reply: Reply) -> Body:
    asked, said = reply.usage.whole_input, reply.usage.output
    return {
        "input_tokens": asked,
        "input_tokens_details": {"cached_tokens": reply.usage.cache_read},
        "output_tokens": said,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": asked + said,
    }


def stream(reply: Reply) -> Iterator[Event]:
    """Write an answer in pieces."""
    numbers = count()
    for kind, told in _told(reply):
        yield Event({"type": kind, "sequence_number": next(numbers), **told}, kind)


def _told(reply: Reply) -> Iterator[tuple[str, Body]]:
    begun = _response(reply, [], None, "in_progress")
    yield "response.created", {"response": begun}
    yield "response.in_progress", {"response": begun}
    for index, item in enumerate(_items(reply)):
        place = {"output_index": index}
        yield "response.output_item.added", {**place, "item": _begin(item)}
        inner = _tell_message if item["type"] == "message" else _tell_call
        yield from ((kind, {**place, "item_id": item["id"], **d}) for kind, d in inner(reply, item))
        yield "response.output_item.done", {**place, "item": item}
    end = "response.incomplete" if reply.finish == "limit" else "response.completed"
    yield end, {"response": whole(reply)}


def _begin(item: Body) -> Body:
    empty: dict[str, Any] = {"content": [], "arguments": "", "input": ""}
    return {**item, "status": "in_progress", **{k: v for k, v in empty.items() if k in item}}


def _tell_message(reply: Reply, item: Body) -> Iterator[tuple[str, Body]]:
    part = item["content"][0]
    word, kind = ("refusal", "refusal") if part["type"] == "refusal" else ("text", "output_text")
    yield "response.content_part.added", {"content_index": 0, "part": {**part, word: ""}}
    for piece in reply.pieces(reply.text):
        yield f"response.{kind}.delta", {"content_index": 0, "delta": piece}
    yield f"response.{kind}.done", {"content_index": 0, word: reply.text}
    yield "response.content_part.done", {"content_index": 0, "part": part}


def _tell_call(reply: Reply, item: Body) -> Iterator[tuple[str, Body]]:
    free = item["type"] == "custom_tool_call"
    kind, word = (
        ("custom_tool_call_input", "input") if free else ("function_call_arguments", "arguments")
    )
    for piece in reply.pieces(item[word]):
        yield f"response.{kind}.delta", {"delta": piece}
    yield f"response.{kind}.done", {word: item[word]}


API: Final = Api("responses", read, whole, stream, error)
