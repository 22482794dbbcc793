"""What a pattern is made of once it is read: character sets, names, and runs.

Owns the small frozen values the algebra computes with, at two levels that have the same shape. A
*name* (one segment of a path) is a sequence of atoms, a *path* is a sequence of segments, and in
both `MANY` stands for any run of whatever the level is made of (`*` in a name, `**` in a path).
Knows nothing of how a pattern is spelled.
"""

import enum
from functools import lru_cache
from typing import Final, TypeAlias

from msgspec import Struct

LAST_CODE_POINT: Final = 0x10FFFF
FILLER: Final = "x"
"""Stands in a witness where any character, or any name, would do."""

Span: TypeAlias = tuple[int, int]
"""Two code points, both included."""


class Many(enum.Enum):
    """The type of `MANY`."""

    MANY = "any run, also an empty one"


MANY: Final = Many.MANY


class Chars(Struct, frozen=True):
    """A set of characters."""

    spans: tuple[Span, ...]
    """Sorted, apart from each other, without `/`, NUL and the surrogates."""

    def __contains__(self, char: str) -> bool:
        """Tell whether the character belongs to the set."""
        point = ord(char)
        return any(low <= point <= high for low, high in self.spans)


Atom: TypeAlias = str | Chars | Many
"""A piece of a name: one character, one of a set, or any run of characters."""


class Glob(Struct, frozen=True):
    """One segment with magic in it."""

    atoms: tuple[Atom, ...]
    head: str
    """The characters every matching name begins with."""
    tail: str
    """The characters every matching name ends with, none of them part of `head`."""
    spelling: str
    """The normal text, unique among globs."""

    is_plain: bool
    """Whether it is a head, one star and a tail, about which nothing need be searched."""

    @property
    def names_files(self) -> bool:
        """Say whether it ends in a written-out extension, as `*.py` and `*_test.go` do."""
        return bool(self.tail.rpartition(".")[2]) and "." in self.tail


Segment: TypeAlias = str | Glob | Many
"""A piece of a path: a name written out, a name with magic, or any run of names."""

Path: TypeAlias = tuple[Segment, ...]
"""One brace-free alternative of a pattern; ends in `MANY` if it covers what lies under it."""


def union(spans: tuple[Span, ...]) -> Chars:
    """Build a set from spans in any order, leaving out what no name can hold."""
    merged: list[Span] = []
    for low, high in sorted(spans):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return Chars(_overlap(tuple(merged), ANY_CHAR.spans))


def complement(chars: Chars) -> Chars:
    """Build the set of all other characters a name can hold."""
    gaps: list[Span] = []
    start = 0
    for low, high in chars.spans:
        gaps.append((start, low - 1))
        start = high + 1
    gaps.append((start, LAST_CODE_POINT))
    return Chars(_overlap(tuple(gaps), ANY_CHAR.spans))


@lru_cache(maxsize=1024)
def shared(left: Chars, right: Chars) -> Chars:
    """Build the set of the characters both sets hold."""
    return Chars(_overlap(left.spans, right.spans))


def _overlap(left: tuple[Span, ...], right: tuple[Span, ...]) -> tuple[Span, ...]:
    found: list[Span] = []
    i = j = 0
    while i < len(left) and j < len(right):
        low, high = max(left[i][0], right[j][0]), min(left[i][1], right[j][1])
        if low <= high:
            found.append((low, high))
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return tuple(found)


@lru_cache(maxsize=4096)
def common_samples(left: Chars, right: Chars) -> tuple[str, ...]:
    """List characters that stand for all the shared ones in a witness: at most one, and the dot.

    The dot is listed apart because a name of one or two dots is no name.
    """
    chars = shared(left, right)
    dot = (".",) if "." in chars else ()
    for wanted in _READABLE:
        found = _overlap(chars.spans, wanted)
        if found:
            return (chr(found[0][0]), *dot)
    return dot


ANY_NAME: Final = Glob((MANY,), head="", tail="", spelling="*", is_plain=True)
ANY_CHAR: Final = Chars(((0x01, 0x2E), (0x30, 0xD7FF), (0xE000, LAST_CODE_POINT)))
_READABLE: Final = (
    ((0x61, 0x7A),),
    ((0x30, 0x39),),
    ((0x21, 0x2D), (0x2F, LAST_CODE_POINT)),
    ((0x01, 0x20),),
)
