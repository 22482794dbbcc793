"""How large a value is on the wire, and how text is cut to what is left."""

from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

from subsessiond.core.bounds import cut_bytes

T = TypeVar("T")

_encode = msgspec.json.Encoder().encode


def json_bytes(value: Any) -> int:
    """Count the bytes of a value's compact JSON."""
    return len(_encode(value))


def fit_text(text: str, limit: int) -> str:
    """Cut a text so that its JSON string, quotes included, has at most `limit` bytes.

    Cut between characters, the mark of the cut included; empty when not even the quotes fit.
    """
    if json_bytes(text) <= limit:
        return text
    # Why a search: a character takes one to six bytes in JSON, and size grows with every one.
    least, most = 0, limit
    while least < most:
        middle = (least + most + 1) // 2
        if json_bytes(cut_bytes(text, middle)) <= limit:
            least = middle
        else:
            most = middle - 1
    return cut_bytes(text, least)


def fit_items(items: Iterable[T], room: int) -> tuple[T, ...]:
    """Keep items from the front while their JSON, with commas, has at most `room` bytes."""
    kept: list[T] = []
    for item in items:
        room -= json_bytes(item) + 1
        if room < 0:
            break
        kept.append(item)
    return tuple(kept)
