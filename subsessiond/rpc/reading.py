"""Bytes to JSON, and when that fails, why: which field of which call.

The fast parser refuses what JSON and this contract refuse (NaN, unpaired surrogates, invalid
UTF-8, a thousand levels) but cannot say where. A slower one is asked only then.
"""

import json
from dataclasses import dataclass
from typing import Any

import orjson

from subsessiond.model.brief import FieldFault
from subsessiond.rpc.request import is_unicode
from subsessiond.wire.faults import MOST_FAULTS, UNNAMED, join_path

MOST_LEVELS = 128
"""Nesting of one message; what is free inside it may have half of that."""

MOST_VALUES = 100_000
"""Values of one message. A batch of a hundred full briefs has a third of that; eight MiB of empty
lists have 28 times as many, and looking at them would hold up everybody else for seconds."""

_UNREADABLE = FieldFault(path="", problem="is not JSON")
_TOO_MANY = FieldFault(path="", problem=f"holds more than {MOST_VALUES} values")
_TOO_DEEP = FieldFault(path="", problem=f"is nested deeper than {MOST_LEVELS} levels")


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a message cannot be dispatched."""

    faults: tuple[FieldFault, ...]
    message: Any = None
    """What a more patient parser could read of it; none when nothing."""


def read_json(raw: bytes) -> Any | Unreadable:
    """Parse one message.

    Returns:
        Parsed JSON (of repeated keys the last), or why it cannot be taken.
    """
    if _has_too_many(raw):
        return Unreadable((_TOO_MANY,))
    try:
        message = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return _explain(raw)
    # Why the count first: no message can be deeper than it has brackets, and few have many.
    if raw.count(b"[") + raw.count(b"{") > MOST_LEVELS and _is_deep(message):
        return Unreadable((_TOO_DEEP,), message)
    return message


def _has_too_many(raw: bytes) -> bool:
    """Count values before any of them is made; exact for JSON, and quick for anything.

    Why in two goes: most messages have few commas even inside their texts, and taking the texts
    out is what costs.
    """
    if _count(raw) < MOST_VALUES:
        return False
    bare = raw.replace(b"\\\\", b"").replace(b'\\"', b"")
    if bare.count(b'"') > 4 * MOST_VALUES:  # each entry has at most a key and a value
        return True
    return _count(b"".join(bare.split(b'"')[::2])) >= MOST_VALUES


def _count(text: bytes) -> int:
    """Give a number that no number of values is greater than, but for the outermost."""
    return text.count(b",") + text.count(b"[") + text.count(b"{")


def _is_deep(message: Any) -> bool:
    level = [message]
    for _ in range(MOST_LEVELS):
        level = [
            below
            for here in level
            for below in (here.values() if isinstance(here, dict) else here)
            if isinstance(below, dict | list)
        ]
        if not level:
            return False
    return True


def _explain(raw: bytes) -> Unreadable:
    try:
        # Why surrogateescape: bytes that are no UTF-8 become unpaired surrogates, which are found
        # below with the field they stand in.
        message = json.loads(raw.decode(errors="surrogateescape"), parse_constant=_refuse)
    except (ValueError, RecursionError):
        return Unreadable((_UNREADABLE,))
    return Unreadable(_surrogates(message) or (_UNREADABLE,), message)


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def _surrogates(message: Any) -> tuple[FieldFault, ...]:
    """Name the texts that are not valid UTF-8, as many as are told one by one."""
    found: list[FieldFault] = []
    waiting: list[tuple[Any, tuple[str | int, ...]]] = [(message, ())]
    while waiting and len(found) < MOST_FAULTS:
        here, place = waiting.pop()
        if isinstance(here, str) and not is_unicode(here):
            found.append(FieldFault(path=join_path(*place), problem="is not valid UTF-8"))
        elif isinstance(here, dict):
            waiting.extend((below, (*place, key)) for key, below in reversed(here.items()))
            if not all(map(is_unicode, here)):
                path = join_path(*place, UNNAMED)
                found.append(FieldFault(path=path, problem="is not valid UTF-8"))
        elif isinstance(here, list):
            waiting.extend((below, (*place, i)) for i, below in enumerate(here))
    return tuple(found)
