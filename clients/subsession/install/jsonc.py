"""JSON as people keep it, with comments and trailing commas: what it means, and where each part is.

It reads; `jsonedit` changes. Positions count the characters of the text.
"""

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

DEEPEST: Final = 100
"""Levels that are read; settings have a dozen, and each costs three frames of the interpreter."""

_TRIVIA = re.compile(r"(?:[ \t\r\n]+|//[^\n\r]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_BARE = re.compile(r"[A-Za-z0-9+\-.]+")
_PAIRS: Final = {"{": "}", "[": "]"}


class Unreadable(Exception):
    """A file is not what it should be; says where and why.

    Args:
        text: the file.
        at: where in it.
        why: what is wrong there.
    """

    def __init__(self, text: str, at: int, why: str) -> None:
        before = text[:at].replace("\r\n", " \n").replace("\r", "\n")
        self.line = before.count("\n") + 1
        self.column = at - before.rfind("\n")
        super().__init__(f"line {self.line}, column {self.column}: {why}")


@dataclass(slots=True)
class Node:
    """One value: what it means and where it stands."""

    start: int
    end: int
    value: Any
    """What it means; of several equal names the last counts."""
    parts: "list[Part] | None" = None
    """Of an object or a list: what stands in it, in order."""


@dataclass(slots=True)
class Part:
    """One member of an object, or one entry of a list."""

    start: int
    """Of a member: where its name begins."""
    name: str | None
    node: Node
    comma: int | None = None
    """Where the comma behind it stands."""


# Why kept: one edit asks several times what the same text means, and some are megabytes.
@lru_cache(maxsize=4)
def parse(text: str) -> Node | None:
    """Read a document; none where there is nothing but white space and comments.

    What it gives is not to be changed.

    Raises:
        Unreadable: it is no JSON, comments and trailing commas aside.
    """
    reader = _Reader(text)
    if not reader.skip():
        return None
    node = reader.node()
    if reader.skip():
        raise reader.fault("something stands behind the end")
    return node


def _no_constant(name: str) -> Any:
    raise ValueError(name)


class _Reader:
    """Reads from one place on."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0

    def fault(self, why: str, at: int | None = None) -> Unreadable:
        """Say what is wrong, here or at another place."""
        return Unreadable(self.text, self.at if at is None else at, why)

    def skip(self) -> str:
        """Go to what counts next and give its first character; empty at the end."""
        match = _TRIVIA.match(self.text, self.at)
        self.at = match.end() if match else self.at
        if self.text.startswith("/*", self.at):
            raise self.fault("a comment that does not end")
        return self.text[self.at : self.at + 1]

    def node(self) -> Node:
        """Read one value."""
        first, start = self.skip(), self.at
        if first in _PAIRS and first:
            return self._box(first)
        if first == '"':
            value = self._string()
            return Node(start, self.at, value)
        match = _BARE.match(self.text, start)
        if match is None:
            raise self.fault("a value is missing here" if first else "the file ends too soon")
        self.at = match.end()
        try:
            return Node(start, self.at, json.loads(match[0], parse_constant=_no_constant))
        except ValueError:
            raise self.fault("this is no JSON", start) from None

    def _string(self) -> str:
        match = _STRING.match(self.text, self.at)
        if match is None:
            raise self.fault("a text that does not end")
        start, self.at = self.at, match.end()
        try:
            return str(json.loads(match[0]))
        except ValueError:
            raise self.fault("a text with an escape that JSON does not know", start) from None

    def _box(self, opening: str) -> Node:
        parts: list[Part] = []
        start, closing = self.at, _PAIRS[opening]
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.fault("nested too deep")
        self.at += 1
        while self.skip() != closing:
            part = self._part(named=opening == "{")
            parts.append(part)
            first = self.skip()
            if first == ",":
                part.comma = self.at
                self.at += 1
            elif first != closing:
                why = f"a comma or {closing} is missing here" if first else "the file ends too soon"
                raise self.fault(why)
        self.at += 1
        self.depth -= 1
        return Node(start, self.at, _meaning(opening, parts), parts)

    def _part(self, *, named: bool) -> Part:
        start = self.at
        if not named:
            return Part(start, None, self.node())
        if not self.text.startswith('"', start):
            more = start < len(self.text)
            raise self.fault(
                "a name in quotes is missing here" if more else "the file ends too soon"
            )
        name = self._string()
        if self.skip() != ":":
            raise self.fault("a colon is missing here")
        self.at += 1
        return Part(start, name, self.node())


def _meaning(opening: str, parts: list[Part]) -> Any:
    if opening == "[":
        return [part.node.value for part in parts]
    return {part.name: part.node.value for part in parts}
