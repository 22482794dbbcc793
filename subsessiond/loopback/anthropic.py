"""Anthropic messages. Source: docs.anthropic.com/en/api/messages."""

from collections.abc import Iterator
from typing import Final

import orjson

from subsessiond.loopback.offer import Offer
from subsessiond.loopback.reply import Api, Asked, Body, Event, Reply, Said, flatten

FINISH: Final = {"limit": "max_tokens", "refusal": "refusal"}
KINDS: Final = {
    401: "authentication_error",
    429: "rate_limit_error",
    529: "overloaded_error",
    404: "not_found_error",
    400: "invalid_request_error",
}


def read(body: Body) -> Asked:
    """Read a request."""
    offers = tuple(Offer(tool["name"]) for tool in body.get("tools") or [])
    form = (body.get("output_config") or {}).get("format") or body.get("output_format") or {}
    return Asked(tuple(_read_said(body)), offers, form.get("schema"))


def _read_said(body: Body) -> Iterator[Said]:
    for message in body.get("messages", []):
        content = message.get("content")
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
        for part in parts:
            if part.get("type") == "tool_result":
                yield Said("tool", flatten(part.get("content")))
            elif part.get("type") == "text":
                yield Said(message["role"], part["text"])


def _blocks(reply: Reply) -> list[Body]:
    spoken = [{"type": "text", "text": reply.text}] if reply.text or not reply.calls else []
    return spoken + [
        {"type": "tool_use", "id": call.id, "name": call.offer.name, "input": call.args}
        for call in reply.calls
    ]


def _finish(reply: Reply) -> str:
    return FINISH.get(reply.finish) or ("tool_use" if reply.calls else "end_turn")


def whole(reply: Reply) -> Body:
    """Write an answer in one piece."""
    usage = {
        "input_tokens": reply.usage.input,
        "cache_creation_input_tokens": reply.usage.cache_write,
        "cache_read_input_tokens": reply.usage.cache_read,
        "output_tokens": reply.usage.output,
    }
    head = {"id": f"msg_{reply.id}", "type": "message", "role": "assistant", "model": reply.model}
    end = {"stop_reason": _finish(reply), "stop_sequence": None, "usage": usage}
    return {**head, "content": _blocks(reply), **end}


def stream(reply: Reply) -> Iterator[Event]:
    """Write an answer in pieces."""
    for event in _told(reply):
        yield Event(event, event["type"])


def _told(reply: Reply) -> Iterator[Body]:
    full = whole(reply)
    usage = {**full["usage"], "output_tokens": 1}
    begun = {**full, "content": [], "stop_reason": None, "usage": usage}
    yield {"type": "message_start", "message": begun}
    for index, block in enumerate(full["content"]):
        yield from ({**event, "index": index} for event in _tell_block(reply, block))
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": full["stop_reason"], "stop_sequence": None},
        "usage": full["usage"],
    }
    yield {"type": "message_stop"}


def _tell_block(reply: Reply, block: Body) -> Iterator[Body]:
    empty: Body = {"text": ""}
    kind, word, text = "text_delta", "text", block.get("text", "")
    if block["type"] == "tool_use":
        empty, kind, word = {"input": {}}, "input_json_delta", "partial_json"
        text = orjson.dumps(block["input"]).decode()
    yield {"type": "content_block_start", "content_block": {**block, **empty}}
    for piece in reply.pieces(text):
        yield {"type": "content_block_delta", "delta": {"type": kind, word: piece}}
    yield {"type": "content_block_stop"}


def error(status: int, words: str) -> Body:
    """Write an error."""
    kind = KINDS.get(status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": words}}


API: Final = Api("anthropic", read, whole, stream, error)
