"""What is asked and what is answered, in no API's words; what an API must bring."""

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import orjson

from subsessiond.loopback.count import Usage
from subsessiond.loopback.offer import Offer

CHUNK: Final = 24
Body = dict[str, Any]


class Said(NamedTuple):
    """One entry of a conversation, whatever the API calls it."""

    role: str
    """`user`, `assistant` or `tool`."""
    text: str


class Asked(NamedTuple):
    """One request, read."""

    said: tuple[Said, ...]
    offers: tuple[Offer, ...]
    schema: Body | None
    """The JSON schema its answer has to fit; None when text will do."""


class Call(NamedTuple):
    """One call of a tool that is offered."""

    id: str
    offer: Offer
    args: Any


class Reply(NamedTuple):
    """One answer."""

    id: str
    model: str
    text: str
    calls: tuple[Call, ...] = ()
    finish: str = ""
    """`limit`, `refusal`, or nothing for an ordinary end."""
    usage: Usage = Usage()
    chunk: int = CHUNK

    def pieces(self, text: str) -> Iterator[str]:
        """Cut a text as a stream would bring it."""
        for start in range(0, len(text), self.chunk):
            yield text[start : start + self.chunk]


class Event(NamedTuple):
    """One event of a stream."""

    data: Body | str
    name: str = ""

    def written(self) -> bytes:
        """Write it as a stream of server-sent events has it."""
        data = self.data.encode() if isinstance(self.data, str) else orjson.dumps(self.data)
        name = f"event: {self.name}\n".encode() if self.name else b""
        return name + b"data: " + data + b"\n\n"


class Api(NamedTuple):
    """One language in which models are asked."""

    name: str
    read: Callable[[Body], Asked]
    whole: Callable[[Reply], Body]
    """The answer in one piece."""
    stream: Callable[[Reply], Iterator[Event]]
    error: Callable[[int, str], Body]


def flatten(content: Any) -> str:
    """Give the text of a content value: a string, a part, or a list of them."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return next(
            (content[k] for k in ("text", "input_text") if isinstance(content.get(k), str)), ""
        )
    return "\n".join(filter(None, map(flatten, content or ())))
