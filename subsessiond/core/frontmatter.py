"""The head of a file: words and values between two lines of three dashes, then the body.

People write these as YAML, and mostly so plainly that few readers agree on less: one word a line,
a text or a list of texts behind it. That is read here, and nothing else of YAML: no anchors, tags,
references or values in values, so nothing grows while it is read, and nobody else's code runs.
"""

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from subsessiond.model.base import Value

FENCE: Final = "---"
HEAD_LINES: Final = 1_000
"""Beyond it the end of the head is not looked for."""

_WORD: Final = re.compile(r"([A-Za-z][A-Za-z0-9_-]{0,63}):(?:[ \t]+(.*))?$")
_ITEM: Final = re.compile(r"[ \t]*-(?:[ \t]+(.*))?$")
_BLOCK: Final = re.compile(r"[|>][+-]?$")
_OTHERS: Final = ("&", "*", "!", "{", "%", "@", "`")
"""Begin what is more than a text in YAML."""

Given = str | tuple[str, ...] | None
"""A text, a list of texts, or something that is neither."""


class FrontMatter(Value, frozen=True, kw_only=True):
    """A file taken apart."""

    words: Mapping[str, Given]
    body: str


class NoFrontMatter(Value, frozen=True, kw_only=True):
    """A file that has no head, or one that cannot be read."""

    why: str


class _Unread(Exception):
    """A value is more than what is read here."""


def read_front_matter(text: str) -> FrontMatter | NoFrontMatter:
    """Take a file apart.

    Args:
        text: all of it.
    """
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() != FENCE:
        return NoFrontMatter(why="does not begin with a line of three dashes")
    for end in range(1, min(len(lines), HEAD_LINES)):
        if lines[end].rstrip() == FENCE:
            break
    else:
        return NoFrontMatter(why="has no second line of three dashes, where its head ends")
    try:
        words = _words(lines[1:end])
    except _Unread as unread:
        return NoFrontMatter(why=str(unread))
    body = "\n".join(lines[end + 1 :]).strip()
    return FrontMatter(words=MappingProxyType(words), body=body)


def _words(lines: list[str]) -> dict[str, Given]:
    found: dict[str, Given] = {}
    at = 0
    while at < len(lines):
        line = lines[at].rstrip()
        at += 1
        if not line or line.startswith("#"):
            continue
        named = _WORD.match(line)
        if named is None:
            raise _Unread(f"line {at + 1} of it is no word with a value")
        word, value = named[1], (named[2] or "").strip()
        if word in found:
            raise _Unread(f"says {word} twice")
        below = at
        while at < len(lines) and (not lines[at].strip() or lines[at][0] in " \t-"):
            at += 1
        found[word] = _value(word, value, lines[below:at])
    return found


def _value(word: str, value: str, below: list[str]) -> Given:
    """Read one value, with the lines that belong to it."""
    if _BLOCK.match(value):
        joint = "\n" if value[0] == "|" else " "
        return joint.join(line.strip() for line in below).strip()
    more = [line for line in below if line.strip() and not line.strip().startswith("#")]
    if not value:
        items = [_ITEM.match(line) for line in more]
        if any(item is None for item in items):
            return None
        return tuple(_text(word, (item[1] or "").strip()) for item in items if item is not None)
    if more:
        raise _Unread(f"the value of {word} goes on in the next line")
    if value.startswith("["):
        return _flow(word, value)
    return _text(word, value)


def _flow(word: str, value: str) -> tuple[str, ...]:
    if not value.endswith("]") or "[" in value[1:]:
        raise _Unread(f"the list of {word} is none of plain texts on one line")
    inside = value[1:-1].strip()
    return tuple(_text(word, part.strip()) for part in inside.split(",")) if inside else ()


def _text(word: str, value: str) -> str:
    """Read a text, plain or in quotes."""
    if value.startswith('"'):
        try:
            found = json.loads(value)
        except ValueError:
            found = None
        if not isinstance(found, str):
            raise _Unread(f"the quoted text of {word} cannot be read")
        return found
    if value.startswith("'"):
        if len(value) < 2 or not value.endswith("'"):  # noqa: PLR2004 - two quotes
            raise _Unread(f"the quoted text of {word} has no end")
        return value[1:-1].replace("''", "'")
    if value.startswith(_OTHERS):
        raise _Unread(f"the value of {word} is no plain text: put it into quotes")
    return value
