"""What a parent's model was given, as the model server received it."""

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from tests.support.modelstub import Request

PARENT: Final = "Do lead. "
OWN_WORDS: Final = ("<system-reminder>", "Wall time: ")
"""With which an agent begins what it adds to an answer itself."""
OURS: Final = "subsession"
"""Stands in the names of our tools, whatever an agent puts around them."""


class Given(NamedTuple):
    """One text that a model was given."""

    tool: str
    """Whose answer it is; empty where it is a message."""
    text: str

    @property
    def size(self) -> int:
        """Bytes."""
        return len(self.text.encode())


def of_parent(requests: list[Request]) -> list[Request]:
    """Give a parent's own turns: its children's tasks are written in its own."""
    return [request for request in requests if request.scripted and request.holds(PARENT)]


def of_child(requests: list[Request], half: str) -> list[Request]:
    """Give a child's turns."""
    mark = f"Do {half}. "
    return [r for r in requests if r.scripted and r.holds(mark) and not r.holds(PARENT)]


def transcript_bytes(requests: list[Request]) -> int:
    """Give by how much a conversation grew: all that was said and shown in it."""
    return sum(given.size for given in given_since(requests))


def given_since(requests: list[Request]) -> list[Given]:
    """Give all that a model was given after its first request, each text once.

    Why all requests are looked at: an agent may leave out what it said before.
    """
    first, *later = (list(_read(request)) for request in requests)
    seen = list(first)
    for conversation in later:
        for given in conversation:
            if conversation.count(given) > seen.count(given):
                seen.append(given)
    return seen[len(first) :]


def _read(request: Request) -> Iterator[Given]:
    body = json.loads(request.raw)
    return {"anthropic": _messages, "responses": _items, "chat": _chat}[request.api](body)


def _answer(tool: str, text: str) -> Given:
    """Tell what a tool answered from what the agent says of it; one ends each answer's line."""
    return Given("" if text.startswith(OWN_WORDS) else tool, text.removesuffix("\n"))


def _messages(body: dict[str, Any]) -> Iterator[Given]:
    names: dict[str, str] = {}
    for message in body["messages"]:
        content = message["content"]
        for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if part["type"] == "tool_use":
                names[part["id"]] = part["name"]
            elif part["type"] == "tool_result":
                for text in _texts(part["content"]):
                    yield _answer(names[part["tool_use_id"]], text)
            elif part["type"] == "text" and message["role"] != "assistant":
                yield Given("", part["text"])


def _items(body: dict[str, Any]) -> Iterator[Given]:
    names: dict[str, str] = {}
    for item in body["input"]:
        if item.get("type") == "function_call":
            names[item["call_id"]] = f"{item.get('namespace', '')}::{item['name']}"
        elif item.get("type") == "function_call_output":
            for text in _texts(item["output"]):
                yield _answer(names[item["call_id"]], text)
        elif item.get("role") not in (None, "assistant"):
            for text in _texts(item["content"]):
                yield Given("", text)


def _chat(body: dict[str, Any]) -> Iterator[Given]:
    names: dict[str, str] = {}
    for message in body["messages"]:
        for call in message.get("tool_calls") or ():
            names[call["id"]] = call["function"]["name"]
        if message["role"] != "assistant":
            for text in _texts(message["content"]):
                yield Given(names.get(message.get("tool_call_id", ""), ""), text)


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    return [part["text"] for part in content or () if "text" in part]


def of_ours(requests: list[Request]) -> list[str]:
    """Give what our tools answered to a parent."""
    return [given.text for given in given_since(requests) if OURS in given.tool]


def lines_of(requests: list[Request], shortest: int = 20) -> set[str]:
    """Give every line that tools answered to a child, but for short ones, which say little."""
    answers = (given.text for given in given_since(requests) if given.tool)
    return {line for text in answers for line in text.splitlines() if len(line) >= shortest}


def tools_bytes(request: Request, word: str) -> int:
    """Give how many bytes a request spends on the tools whose names hold a word."""
    tools = json.loads(request.raw)["tools"]
    return sum(len(json.dumps(tool).encode()) for tool in tools if word in tool.get("name", ""))
