"""What one line of Claude Code tells. Pure; what is not known here tells nothing."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from subsessiond.adapters.runners.meter import usage_of
from subsessiond.core.bounds import cut_bytes
from subsessiond.model.base import Value
from subsessiond.model.usage import Usage

FIGURES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "input": "input_tokens",
        "cache_read": "cache_read_input_tokens",
        "cache_write": "cache_creation_input_tokens",
        "output": "output_tokens",
    }
)
BEGUN: Final[Mapping[str, str]] = MappingProxyType(
    {figure: word for figure, word in FIGURES.items() if figure != "output"}
)
"""Of a message that is shown while it streams: of its output only the first token is counted."""

WORDS_BYTES: Final = 64 * 1024
"""Of a turn's closing words: as much as is looked through for secrets before it is cut."""


class TurnEnd(Value, frozen=True, kw_only=True):
    """What the line says that ends a turn."""

    subtype: str = ""
    is_error: bool = False
    stop_reason: str = ""
    terminal: str = ""
    """Its word for why the turn is over."""
    api_error: str = ""
    """Its word for what its provider answered."""
    words: str = ""
    """What the model said last or, of an error, what went wrong."""
    usage: Usage = Usage()
    """Of this turn."""


class Told(Value, frozen=True, kw_only=True):
    """All that a line tells."""

    sign: str = ""
    """Our word for the sign of life it is; empty where it is none."""
    waits: bool = False
    """Its provider makes it wait."""
    began: tuple[str, ...] = ()
    """Ids of tool calls that began."""
    ended: tuple[str, ...] = ()
    message_id: str = ""
    usage: Usage = Usage()
    """Of the message of this id; its output is told with the turn's end alone."""
    taken: tuple[str, ...] = ()
    """Names of messages that its model is shown now, or was shown before."""
    dropped: tuple[str, ...] = ()
    """Names of messages that it will not show to its model any more."""
    end: TurnEnd | None = None


def read_line(frame: Mapping[str, Any]) -> Told:
    """Say what a line tells."""
    kind = frame.get("type")
    read = _KINDS.get(kind) if isinstance(kind, str) else None
    return read(frame) if read is not None else Told()


def _assistant(frame: Mapping[str, Any]) -> Told:
    message = _object(frame.get("message"))
    began = tuple(_ids(message.get("content"), "tool_use", "id"))
    return Told(
        sign="tool-call" if began else "message",
        began=began,
        message_id=_text(message.get("id")),
        usage=usage_of(message.get("usage"), BEGUN),
        taken=_names(frame),
    )


def _user(frame: Mapping[str, Any]) -> Told:
    """Read what tools answered, or our own words as they are shown to the model."""
    if frame.get("isReplay") is True:
        return Told(taken=_one(frame.get("uuid")))
    content = _object(frame.get("message")).get("content")
    ended = tuple(_ids(content, "tool_result", "tool_use_id"))
    return Told(sign="tool-update" if ended else "", ended=ended)


def _lifecycle(frame: Mapping[str, Any]) -> Told:
    """Read what became of one of our messages; one that only waits is neither."""
    name, state = _one(frame.get("command_uuid")), frame.get("state")
    if state in ("started", "completed"):
        return Told(taken=name)
    return Told(dropped=name if state == "cancelled" else ())


def _system(frame: Mapping[str, Any]) -> Told:
    subtype = frame.get("subtype")
    if subtype == "api_retry":
        return Told(sign="rate-limited", waits=True)
    return Told(sign="thought" if subtype == "thinking_tokens" else "")


def _stream(_: Mapping[str, Any]) -> Told:
    return Told(sign="message")


def _result(frame: Mapping[str, Any]) -> Told:
    errors = frame.get("errors")
    said = [_text(row) for row in errors] if isinstance(errors, list) else []
    words = "\n".join(part for part in (_text(frame.get("result")), *said) if part)
    end = TurnEnd(
        subtype=_text(frame.get("subtype")),
        is_error=frame.get("is_error") is True,
        stop_reason=_text(frame.get("stop_reason")),
        terminal=_text(frame.get("terminal_reason")),
        api_error=_text(frame.get("api_error")),
        words=cut_bytes(words, WORDS_BYTES),
        usage=usage_of(frame.get("usage"), FIGURES),
    )
    return Told(end=end, taken=_names(frame))


_KINDS: Final = MappingProxyType(
    {
        "assistant": _assistant,
        "user": _user,
        "command_lifecycle": _lifecycle,
        "system": _system,
        "stream_event": _stream,
        "result": _result,
    }
)


def _names(frame: Mapping[str, Any]) -> tuple[str, ...]:
    """Give the names of all messages that a line says it answers."""
    names = frame.get("user_message_uuids")
    return tuple(name for name in names if isinstance(name, str)) if isinstance(names, list) else ()


def _ids(content: Any, kind: str, word: str) -> Iterator[str]:
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and part.get("type") == kind:
            yield _text(part.get(word))


def _one(name: Any) -> tuple[str, ...]:
    return (name,) if isinstance(name, str) else ()


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
