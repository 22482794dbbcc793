"""Changes to TOML that leave every other character as it stands.

A table of ours is written at the end of the file and cut out where it stands. Why not by a library
that keeps comments: the one there is takes the comment above the next table for a part of ours, and
deletes it with ours. What the text means before and after is read by `tomllib`, and compared.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from subsession.install.jsonc import DEEPEST, Unreadable

_WORD = re.compile(r"[A-Za-z0-9_-]+")
_PIECE = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
    r"|\#[^\n]*"
    r"|[\[{]|[\]}]|\n|[^\"'\#\[\]{}\n]+|.",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class _Statement:
    """One header or one setting, with its whole lines."""

    start: int
    end: int
    table: tuple[str, ...] | None
    """Of a header: the table it opens."""


def parse(text: str) -> dict[str, Any]:
    """Read a document.

    Raises:
        Unreadable: it is no TOML.
    """
    try:
        meant = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise _unreadable(text, str(fault)) from None
    except RecursionError:
        meant = None
    if meant is None or _is_too_deep(meant):
        raise Unreadable(text, 0, "nested too deep")
    return meant


def _is_too_deep(meant: dict[str, Any]) -> bool:
    """Tell whether what was read could not be compared; looked at level by level for that."""
    level: list[Any] = [meant]
    for _ in range(DEEPEST):
        boxes = [one.values() if isinstance(one, dict) else one for one in level]
        level = [one for box in boxes for one in box if isinstance(one, dict | list)]
        if not level:
            return False
    return True


def _unreadable(text: str, told: str) -> Unreadable:
    """Say where, from the words of `tomllib`, which has no other way to tell."""
    match = re.search(r"^(.*) \(at line (\d+), column (\d+)\)$", told)
    if match is None:
        return Unreadable(text, len(text), told)
    lines = text.splitlines(keepends=True)
    at = sum(map(len, lines[: int(match[2]) - 1])) + int(match[3]) - 1
    return Unreadable(text, at, match[1])


def find(meant: dict[str, Any], path: tuple[str, ...]) -> Any:
    """Give what stands at a path; none where nothing does."""
    found: Any = meant
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    return found


def put(text: str, path: tuple[str, ...], table: dict[str, Any]) -> str:
    """Set a table of texts and lists of texts; it goes to the end of the file.

    Raises:
        Unreadable: the text is no TOML, or a table cannot be added or taken out in it.
    """
    text = drop(text, path)
    meant = parse(text)
    eol = "\r\n" if "\r\n" in text else "\n"
    header = ".".join(name if _WORD.fullmatch(name) else _text(name) for name in path)
    lines = [f"[{header}]", *(f"{name} = {_value(value)}" for name, value in table.items())]
    gap = "" if not text else eol if text.endswith("\n") else eol * 2
    after = text + gap + eol.join(lines) + eol
    expected = _with(meant, path, table)
    try:
        good = tomllib.loads(after) == expected
    except tomllib.TOMLDecodeError:
        good = False
    if not good:
        raise _by_hand(text, path, "add it")
    return after


def drop(text: str, path: tuple[str, ...]) -> str:
    """Take a table out, with the tables below it and the empty line before it.

    Raises:
        Unreadable: the text is no TOML, or what stands there is no table with a header of its own.
    """
    meant = parse(text)
    if find(meant, path) is None:
        return text
    after, kept_to = "", 0
    for start, end in _spans(text, path):
        before = text[kept_to:start]
        after += re.sub(r"(?<=\n)\r?\n\Z", "", before)
        kept_to = end
    after += text[kept_to:]
    if _without_empty(tomllib.loads(after)) != _without_empty(_with(meant, path, None)):
        raise _by_hand(text, path, "take it out")
    return after


def _by_hand(text: str, path: tuple[str, ...], what: str) -> Unreadable:
    where = ".".join(path)
    return Unreadable(text, 0, f"{where} is written in a way that has to be edited by hand: {what}")


def _spans(text: str, path: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Give where the table and those below it begin and end."""
    start = end = -1
    for statement in _statements(text):
        if statement.table is not None:
            if start >= 0:
                yield start, end
            start = statement.start if statement.table[: len(path)] == path else -1
        end = statement.end
    if start >= 0:
        yield start, end


def _statements(text: str) -> Iterator[_Statement]:
    """Split a document that can be read into its statements; comments alone are none."""
    line = depth = 0
    begun = False
    for match in _PIECE.finditer(text + "\n"):
        piece = match[0]
        if piece == "\n" and depth == 0:
            if begun:
                end = min(match.end(), len(text))
                yield _Statement(line, end, _header(text[line:end]))
            line, begun = match.end(), False
        elif not piece.startswith("#") and piece.strip():
            begun = True
            depth += (piece in "[{") - (piece in "]}") if len(piece) == 1 else 0


def _header(statement: str) -> tuple[str, ...] | None:
    """Give the table that a statement opens; a list of tables has its place left out."""
    if not statement.lstrip().startswith("["):
        return None
    found: Any = tomllib.loads(statement)
    names: list[str] = []
    while found:
        if isinstance(found, list):
            found = found[0]
            continue
        name, found = next(iter(found.items()))
        names.append(name)
    return tuple(names)


def _value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return str(value) if isinstance(value, int) else _text(value)


def _text(text: str) -> str:
    """Write a text in quotes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    plain = "".join(c if c >= " " and c != "\x7f" else f"\\u{ord(c):04x}" for c in escaped)
    return f'"{plain}"'


def _with(meant: dict[str, Any], path: tuple[str, ...], value: Any) -> dict[str, Any]:
    """Give a document with another value at a path; none takes out what stands there."""
    rest = {name: below for name, below in meant.items() if name != path[0]}
    below = meant.get(path[0])
    if len(path) > 1:
        value = _with(below if isinstance(below, dict) else {}, path[1:], value)
    return rest if value is None else {**rest, path[0]: value}


def _without_empty(meant: dict[str, Any]) -> dict[str, Any]:
    """Leave out empty tables: where ours was the only one, the one above it is gone as well."""
    kept = {n: _without_empty(v) if isinstance(v, dict) else v for n, v in meant.items()}
    return {name: value for name, value in kept.items() if value != {}}
