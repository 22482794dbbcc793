"""`[agents.NAME.events]`: where an agent that prints JSON lines says what."""

import re
from typing import Any, Final

from subsessiond.model.eventmap import ENDS, FIGURES, EventMap, Match
from subsessiond.settings.tables import Table

_PATH: Final = re.compile(r"[^.\s]+(?:\.[^.\s]+)*")
_PATHS: Final = (
    "session",
    "structured",
    "words_text",
    "tool_start_id",
    "tool_end_id",
    "message_id",
    "usage",
    "total",
    "summary",
)
_LISTS: Final = ("text", "error", "error_text", "input", "cache_read", "cache_write", "output")
_MATCHES: Final = (
    "closing",
    "failing",
    "turn_end",
    "words",
    "rate_limited",
    "tool_start",
    "tool_end",
)


def read_events(table: Table) -> EventMap:
    """Read the event map of one agent.

    Raises:
        ConfigFault: says which word and why.
    """
    table.only((*_PATHS, *_LISTS, *_MATCHES, "words_in_pieces", "ends", "usage_without"))
    found: dict[str, Any] = {word: _path(table, word) for word in _PATHS}
    found.update((word, _paths(table, word)) for word in _LISTS)
    found.update((word, _match(table.table(word))) for word in _MATCHES)
    ends = table.table("ends")
    ends.only(ENDS)
    return EventMap(
        usage_without=_figures(table),
        words_in_pieces=table.flag("words_in_pieces", default=False),
        ends=tuple((word, _match(ends.table(word))) for word in ends.words()),
        **found,
    )


def _path(table: Table, word: str) -> str:
    found = table.text(word, "")
    if found:
        _check_path(table, word, found)
    return found


def _paths(table: Table, word: str) -> tuple[str, ...]:
    found = table.texts_or_text(word)
    for path in found:
        _check_path(table, word, path.removeprefix("-"))
    return found


def _figures(table: Table) -> tuple[str, ...]:
    found = table.once("usage_without")
    for figure in found:
        if figure not in FIGURES:
            table.refuse("usage_without", f"must name figures: {', '.join(FIGURES)}")
    return found


def _match(table: Table) -> Match:
    """Read paths and what stands there: one text, or a list of texts of which any will do."""
    pairs: list[tuple[str, str]] = []
    for path in table.words():
        _check_path(table, repr(path[:60]), path)
        values = table.texts_or_text(path)
        if not values:
            table.refuse(path, "names no value; say what stands there, or * for anything")
        pairs += [(path, value) for value in values]
    return tuple(pairs)


def _check_path(table: Table, word: str, path: str) -> None:
    if not _PATH.fullmatch(path):
        table.refuse(word, "must be a path: words joined by dots")
