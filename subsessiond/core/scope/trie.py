"""A persistent map from texts to values that finds all keys agreeing with a beginning.

Owns the shape, which is a function of what is in it and not of how it came there: up to
`LEAF_ENTRIES` entries lie flat and sorted, more are split where they first differ. Every iteration
is in the order of the keys. Nothing here recurses: keys of hundreds of characters are allowed.
"""

from collections.abc import Iterator
from typing import Final, Generic, TypeVar

from immutables import Map
from msgspec import Struct

Value = TypeVar("Value")

LEAF_ENTRIES: Final = 12
"""Scanning a dozen strings costs less than one more level of maps."""

STOP: Final = "\0"
"""Ends the part of a key that is compared with a beginning, and the key. No pattern holds one, so
no key is the beginning of another, and it sorts before all else."""


class Trie(Struct, Generic[Value], frozen=True, gc=False):
    """A map, or one level of one."""

    size: int = 0
    entries: tuple[tuple[str, Value], ...] = ()
    """All entries, sorted by key, if there are few."""
    limbs: Map[str, "Trie[Value]"] | None = None
    """Otherwise the next levels by the character after `stem`; never a single one."""
    stem: str = ""
    """What all keys begin with, from their first character on, if there are limbs."""

    def find(self, key: str) -> Value | None:
        """Return the value of a key, or None."""
        _, level = self._way_to(key)
        return next((value for known, value in level.entries if known == key), None)

    def put(self, key: str, value: Value) -> "Trie[Value]":
        """Return the map with the key set."""
        way, level = self._way_to(key)
        others = tuple(entry for entry in level.entries if entry[0] != key)
        if level.limbs is None:
            grown = _level(_in_order((*others, (key, value))))
        else:
            at = _common_length(key, level.stem)
            limbs = Map({level.stem[at]: level, key[at]: Trie(1, ((key, value),))})
            grown = Trie(level.size + 1, (), limbs, key[:at])
        return _rebuilt(way, grown, key)

    def drop(self, key: str) -> "Trie[Value]":
        """Return the map without the key, which need not be there."""
        way, level = self._way_to(key)
        others = tuple(entry for entry in level.entries if entry[0] != key)
        if len(others) == len(level.entries):
            return self
        return _rebuilt(way, Trie(len(others), others), key)

    def items(self) -> Iterator[tuple[str, Value]]:
        """Go through all entries in the order of the keys."""
        waiting = [self]
        while waiting:
            level = waiting.pop()
            yield from level.entries
            if level.limbs is not None:
                waiting.extend(level.limbs[char] for char in sorted(level.limbs, reverse=True))

    def agreeing(self, text: str) -> Iterator[tuple[str, Value]]:
        """Go through the entries whose key up to `STOP` begins with a text or is its beginning."""
        for level in self._agreeing_levels(text):
            if level.limbs is None:
                yield from (entry for entry in level.entries if _agree(entry[0], text))
            else:
                yield from level.items()

    def count_agreeing(self, text: str) -> int:
        """Count the entries that agree with a text; at most a few leaves' worth too many."""
        return sum(level.size for level in self._agreeing_levels(text))

    def _agreeing_levels(self, text: str) -> Iterator["Trie[Value]"]:
        """Go through leaves in which some entries may agree, and branches in which all do."""
        level: Trie[Value] | None = self
        while level is not None:
            if level.limbs is None:
                yield level
                return
            if not _agree(level.stem, text):
                return
            if STOP in level.stem or len(level.stem) >= len(text):
                yield level
                return
            if stopped := level.limbs.get(STOP):
                yield stopped
            level = level.limbs.get(text[len(level.stem)])

    def _way_to(self, key: str) -> tuple[list["Trie[Value]"], "Trie[Value]"]:
        """Return the branches passed on the way to a key, and the leaf or misfit at its end."""
        way: list[Trie[Value]] = []
        level = self
        while level.limbs is not None and key.startswith(level.stem):
            way.append(level)
            level = level.limbs.get(key[len(level.stem)], Trie())
        return way, level


def _rebuilt(way: list[Trie[Value]], level: Trie[Value], key: str) -> Trie[Value]:
    """Put a changed level back below the branches that led to it."""
    for parent in reversed(way):
        limbs, char = parent.limbs or Map(), key[len(parent.stem)]
        before = limbs.get(char)
        size = parent.size - (before.size if before else 0) + level.size
        limbs = limbs.set(char, level) if level.size else limbs.delete(char)
        branch = Trie(size, (), limbs, parent.stem)
        if size <= LEAF_ENTRIES:
            level = Trie(size, tuple(branch.items()))
        else:
            level = branch if len(limbs) > 1 else next(iter(limbs.values()))
    return level


def _level(entries: tuple[tuple[str, Value], ...]) -> Trie[Value]:
    """Lay sorted entries flat if they are few, else split them where they first differ."""
    if len(entries) <= LEAF_ENTRIES:
        return Trie(len(entries), entries)
    at = _common_length(entries[0][0], entries[-1][0])
    chars = tuple(dict.fromkeys(key[at] for key, _ in entries))
    groups = {c: tuple(entry for entry in entries if entry[0][at] == c) for c in chars}
    limbs = Map({char: Trie(len(group), group) for char, group in groups.items()})
    return Trie(len(entries), (), limbs, entries[0][0][:at])


def _in_order(entries: tuple[tuple[str, Value], ...]) -> tuple[tuple[str, Value], ...]:
    return tuple(sorted(entries, key=lambda entry: entry[0]))


def _common_length(left: str, right: str) -> int:
    pairs = enumerate(zip(left, right, strict=False))
    return next((at for at, (mine, theirs) in pairs if mine != theirs), min(len(left), len(right)))


def _agree(key: str, text: str) -> bool:
    begin = key.partition(STOP)[0]
    return text.startswith(begin) or begin.startswith(text)
