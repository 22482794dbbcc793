"""Looking into a JSON value by a path such as `message.content.*.id`.

A program may put anything at any place: nothing here raises for what is found.
"""

from collections.abc import Iterator
from typing import Any, Final

from subsessiond.model.eventmap import Match

ANY: Final = "*"
"""In a path any item of a list, in a match any value."""

FOUND_MOST: Final = 1_000
"""Values given of one path: a list may have millions of items, and nobody needs so many."""


def found_at(raw: Any, path: str) -> tuple[Any, ...]:
    """Give what stands at a path: nothing, one value or, through `*`, several."""
    if not path:
        return ()
    words = path.split(".")
    return tuple(value for value, _ in zip(_walk(raw, words), range(FOUND_MOST), strict=False))


def _walk(raw: Any, words: list[str]) -> Iterator[Any]:
    if not words:
        yield raw
        return
    for value in _step(raw, words[0]):
        yield from _walk(value, words[1:])


def _step(raw: Any, word: str) -> Iterator[Any]:
    if isinstance(raw, dict):
        if word in raw:
            yield raw[word]
    elif isinstance(raw, list):
        if word == ANY:
            yield from raw
        elif word.removeprefix("-").isdecimal() and word.isascii():
            place = int(word)
            if -len(raw) <= place < len(raw):
                yield raw[place]


def fits(raw: Any, match: Match) -> bool:
    """Tell whether a line is what a match describes; an empty match describes no line."""
    paths = dict.fromkeys(path for path, _ in match)
    return bool(paths) and all(_fits_at(raw, path, match) for path in paths)


def _fits_at(raw: Any, path: str, match: Match) -> bool:
    wanted = [value for at, value in match if at == path]
    found = found_at(raw, path)
    return any(value == ANY or _word(one) == value for one in found for value in wanted)


def _word(value: Any) -> str | None:
    """Give a plain value as it stands in JSON; none for what is no plain value."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value) if isinstance(value, int | float) else None


def text_at(raw: Any, *paths: str) -> str | None:
    """Give the first text at these paths; none where there is no text."""
    values = (value for path in paths for value in found_at(raw, path))
    return next((value for value in values if isinstance(value, str)), None)


def texts_at(raw: Any, path: str) -> tuple[str, ...]:
    """Give every text at a path."""
    return tuple(value for value in found_at(raw, path) if isinstance(value, str))


def count_at(raw: Any, path: str) -> int | None:
    """Give the whole number at a path, never a negative one; none where there is none."""
    values = (
        value
        for value in found_at(raw, path)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0
    )
    return next(values, None)
