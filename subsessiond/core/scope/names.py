"""Answers about single names: what two segments share, and which one holds the other."""

from typing import Final, TypeAlias

from subsessiond.core.scope.search import WORD, Level
from subsessiond.core.scope.steps import Meter
from subsessiond.core.scope.symbols import (
    ANY_CHAR,
    FILLER,
    Atom,
    Chars,
    Glob,
    common_samples,
    shared,
)

NamePart: TypeAlias = str | Glob
"""A segment that stands for one name."""


def shared_name(left: NamePart, right: NamePart, meter: Meter) -> str | None:
    """Find a name that both segments match.

    Raises:
        StepsSpentError: not known within the budget.
    """
    if isinstance(left, str):
        if isinstance(right, str):
            return left if left == right else None
        return left if holds_name(right, left, meter) else None
    if isinstance(right, str):
        return right if holds_name(left, right, meter) else None
    if not may_meet(left, right):
        return None
    if left.is_plain and right.is_plain:
        return _woven(left, right)
    found = _NAMES.shared_word(left.atoms, right.atoms, meter)
    return None if found is None else "".join(found)


def share_a_name(left: NamePart, right: NamePart, meter: Meter) -> bool:
    """Tell whether two segments whose literal ends agree share a name, without looking for it.

    Raises:
        StepsSpentError: not known within the budget.
    """
    if isinstance(left, Glob) and isinstance(right, Glob) and left.is_plain and right.is_plain:
        return True
    return shared_name(left, right, meter) is not None


def may_meet(left: NamePart, right: NamePart) -> bool:
    """Tell whether the literal ends of two segments agree; without it they share no name."""
    left_head, left_tail = ends_of(left)
    right_head, right_tail = ends_of(right)
    return (left_head.startswith(right_head) or right_head.startswith(left_head)) and (
        left_tail.endswith(right_tail) or right_tail.endswith(left_tail)
    )


def ends_of(part: NamePart) -> tuple[str, str]:
    """Return what every name of the segment begins with and ends with."""
    return (part, part) if isinstance(part, str) else (part.head, part.tail)


def holds_name(outer: NamePart, inner: NamePart, meter: Meter) -> bool:
    """Tell whether every name of the inner segment is provably a name of the outer one.

    Raises:
        StepsSpentError: not known within the budget.
    """
    if isinstance(outer, str):
        return outer == inner
    head, tail = ends_of(inner)
    if not (head.startswith(outer.head) and tail.endswith(outer.tail)):
        return False
    if outer.is_plain and isinstance(inner, str):
        return len(inner) >= len(outer.head) + len(outer.tail)
    atoms: tuple[Atom, ...] = tuple(inner) if isinstance(inner, str) else inner.atoms
    return _NAMES.holds_every_word((outer.atoms,), atoms, meter)


def _woven(left: Glob, right: Glob) -> str:
    """Make a name of two globs of one star each whose ends agree."""
    head = max(left.head, right.head, key=len)
    tail = max(left.tail, right.tail, key=len)
    return head + tail if head.strip(".") else head + FILLER + tail


def _shared_chars(left: str | Chars, right: str | Chars, _meter: Meter) -> tuple[str, ...]:
    """List what to spell for a pair of atoms, the character that makes a name at once first."""
    if isinstance(left, Chars):
        if isinstance(right, Chars):
            return common_samples(left, right)
        left, right = right, left
    return (left,) if left in (right if isinstance(right, Chars) else (right,)) else ()


def _after_char(phase: int, char: str) -> int:
    """Advance: nothing, one dot and two dots are no names yet, all else is one."""
    return min(phase + 1, WORD) if char == "." else WORD


def _holds_chars(outer: str | Chars, inner: str | Chars, _meter: Meter) -> bool:
    if isinstance(outer, str):
        return outer == inner
    return inner in outer if isinstance(inner, str) else shared(outer, inner) == inner


_NAMES: Final = Level[str | Chars](_shared_chars, _after_char, _holds_chars, ANY_CHAR)
