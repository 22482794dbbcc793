"""Gemini generateContent. Source: ai.google.dev/api/generate-content."""

from collections.abc import Iterator
from typing import Final

import orjson

from subsessiond.loopback.offer import Offer
from subsessiond.loopback.reply import Api, Asked, Body, Event, Reply, Said

FINISH: Final = {"limit": "MAX_TOKENS", "refusal": "SAFETY"}
STATUSES: Final = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
}
SIGNATURE: Final = "c3R1Yg=="
"""Newer models sign their calls, and clients refuse to send one back unsigned."""


def read(body: Body) -> Asked:
    """Read a request."""
    offers = tuple(
        Offer(declared["name"])
        for tool in body.get("tools") or []
        for declared in tool.get("functionDeclarations") or []
    )
    return Asked(tuple(_read_said(body)), offers, _read_schema(body.get("generationConfig") or {}))


def _read_said(body: Body) -> Iterator[Said]:
    for message in body.get("contents", []):
        role = "assistant" if message.get("role") == "model" else "user"
        for part in message.get("parts", []):
            if "functionResponse" in part:
                answer = part["functionResponse"].get("response")
                yield Said("tool", orjson.dumps(answer).decode())
            elif "text" in part:
                yield Said(role, part["text"])


def _read_schema(config: Body) -> Body | None:
    schema: Body | None = config.get("responseJsonSchema") or config.get("responseSchema")
    if schema is None and config.get("responseMimeType") == "application/json":
        return {"type": "object"}
    return schema


def _parts(reply: Reply) -> list[Body]:
    spoken = [{"text": reply.text}] if reply.text or not reply.calls else []
    return spoken + [
        {
            "functionCall": {"id": call.id, "name": call.offer.name, "args": call.args},
            "thoughtSignature": SIGNATURE,
        }
        for call in reply.calls
    ]


def _answer(reply: Reply, parts: list[Body], *, last: bool = True) -> Body:
    candidate: Body = {"content": {"role": "model", "parts": parts}, "index": 0}
    if last:
        candidate["finishReason"] = FINISH.get(reply.finish, "STOP")
    asked, said = reply.usage.whole_input, reply.usage.output
    usage = {"promptTokenCount": asked, "candidatesTokenCount": said}
    usage |= {"totalTokenCount": asked + said, "cachedContentTokenCount": reply.usage.cache_read}
    told = {"candidates": [candidate], "modelVersion": reply.model, "responseId": reply.id}
    return told | ({"usageMetadata": usage} if last else {})


def whole(reply: Reply) -> Body:
    """Write an answer in one piece."""
    return _answer(reply, _parts(reply))


def stream(reply: Reply) -> Iterator[Event]:
    """Write an answer in pieces; its figures come with the last."""
    pieces = [
        {"text": piece} if "text" in part else part
        for part in _parts(reply)
        for piece in (reply.pieces(part["text"]) if part.get("text") else ("",))
    ]
    for piece in pieces[:-1]:
        yield Event(_answer(reply, [piece], last=False))
    yield Event(_answer(reply, pieces[-1:]))


def error(status: int, words: str) -> Body:
    """Write an error."""
    kind = STATUSES.get(status, "INTERNAL")
    return {"error": {"code": status, "message": words, "status": kind}}


API: Final = Api("gemini", read, whole, stream, error)
