"""OpenAI chat completions. Source: platform.openai.com/docs/api-reference/chat."""

from collections.abc import Iterator
from typing import Any, Final

import orjson

from subsessiond.loopback.offer import Offer
from subsessiond.loopback.reply import Api, Asked, Body, Call, Event, Reply, Said, flatten

FINISH: Final = {"limit": "length", "refusal": "content_filter"}


def read(body: Body) -> Asked:
    """Read a request."""
    said = tuple(
        Said(message["role"], flatten(message.get("content")))
        for message in body.get("messages", [])
        if message.get("role") in ("user", "assistant", "tool")
    )
    offers = tuple(Offer(tool["function"]["name"]) for tool in body.get("tools") or [])
    return Asked(said, offers, _read_schema(body.get("response_format") or {}))


def _read_schema(form: Body) -> Body | None:
    if form.get("type") == "json_schema":
        return dict(form["json_schema"].get("schema", {}))
    return {"type": "object"} if form.get("type") == "json_object" else None


def _finish(reply: Reply) -> str:
    return FINISH.get(reply.finish) or ("tool_calls" if reply.calls else "stop")


def _usage(reply: Reply) -> Body:
    asked, said = reply.usage.whole_input, reply.usage.output
    details = {"cached_tokens": reply.usage.cache_read}
    sums = {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
    return {**sums, "prompt_tokens_details": details}


def _call(call: Call) -> Body:
    function = {"name": call.offer.name, "arguments": orjson.dumps(call.args).decode()}
    return {"id": call.id, "type": "function", "function": function}


def _envelope(reply: Reply, kind: str, choices: list[Body], **more: Any) -> Body:
    head = {"id": f"chatcmpl-{reply.id}", "object": kind, "created": 1, "model": reply.model}
    return {**head, "choices": choices, **more}


def whole(reply: Reply) -> Body:
    """Write an answer in one piece."""
    message: Body = {"role": "assistant", "content": reply.text or None}
    if reply.calls:
        message["tool_calls"] = [_call(call) for call in reply.calls]
    choice = {"index": 0, "message": message, "finish_reason": _finish(reply)}
    return _envelope(reply, "chat.completion", [choice], usage=_usage(reply))


def stream(reply: Reply) -> Iterator[Event]:
    """Write an answer in pieces."""
    for delta in _deltas(reply):
        yield _chunk(reply, delta, None)
    yield _chunk(reply, {}, _finish(reply))
    yield Event(_envelope(reply, "chat.completion.chunk", [], usage=_usage(reply)))
    yield Event("[DONE]")


def _chunk(reply: Reply, delta: Body, finish: str | None) -> Event:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return Event(_envelope(reply, "chat.completion.chunk", [choice]))


def _deltas(reply: Reply) -> Iterator[Body]:
    yield {"role": "assistant", "content": ""}
    for piece in reply.pieces(reply.text):
        yield {"content": piece}
    for index, call in enumerate(reply.calls):
        told = _call(call)
        args = told["function"]["arguments"]
        told["function"]["arguments"] = ""
        yield {"tool_calls": [{"index": index, **told}]}
        for piece in reply.pieces(args):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def error(status: int, words: str) -> Body:
    """Write an error."""
    kind = {401: "authentication_error", 429: "rate_limit_error"}.get(status, "server_error")
    return {"error": {"message": words, "type": kind, "code": kind, "param": None}}


API: Final = Api("chat", read, whole, stream, error)
