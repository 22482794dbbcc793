"""Bytes to JSON, and when that fails, why: which field of which call.

The fast parser refuses what JSON and this contract refuse (NaN, unpaired surrogates, invalid
UTF-8, a thousand levels) but cannot say where. A slower one is asked only then.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from subsessiond.core.jsontext import has_too_many
from subsessiond.model.brief import FieldFault
from subsessiond.rpc.request import is_unicode
from subsessiond.wire.faults import MOST_FAULTS, UNNAMED, join_path

MOST_LEVELS = 128
"""Nesting of one message; what is free inside it may have half of that."""

_Place = tuple[str | int, ...]

_UNREADABLE = FieldFault(path="", problem="is not JSON")
_TOO_MANY = FieldFault(path="", problem="holds more values than any call needs")
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
    if has_too_many(raw):
        return Unreadable((_TOO_MANY,))
    try:
        message = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return _explain(raw)
    # Why the count first: no message can be deeper than it has brackets, and few have many.
    if raw.count(b"[") + raw.count(b"{") > MOST_LEVELS and _is_deep(message):
        return Unreadable((_TOO_DEEP,), message)
    return message


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
    waiting: list[Iterator[tuple[Any, _Place]]] = [iter([(message, ())])]
    while waiting and len(found) < MOST_FAULTS:
        entry = next(waiting[-1], None)
        if entry is None:
            waiting.pop()
            continue
        here, place = entry
        if isinstance(here, str) and not is_unicode(here):
            found.append(FieldFault(path=join_path(*place), problem="is not valid UTF-8"))
        elif isinstance(here, dict | list):
            waiting.append(_below(here, place))
            if isinstance(here, dict) and not all(map(is_unicode, here)):
                path = join_path(*place, UNNAMED)
                found.append(FieldFault(path=path, problem="is not valid UTF-8"))
    return tuple(found)


def _below(here: dict[str, Any] | list[Any], place: _Place) -> Iterator[tuple[Any, _Place]]:
    """Give what an object or a list holds, each with its place, one by one."""
    entries = here.items() if isinstance(here, dict) else enumerate(here)
    return ((below, (*place, name)) for name, below in entries)
