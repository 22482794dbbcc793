"""The ways on from one place of the index: segments, each leading to a value.

Owns finding those that may share a name with another segment. Every segment is filed by its
beginning and, once there are more than a handful, by its ending too, so that ten thousand of
`*_123.py`, alike in front, are told apart from behind.
"""

from collections.abc import Iterator
from typing import Generic, TypeVar

from msgspec import Struct

from subsessiond.core.scope.names import NamePart, ends_of, may_meet
from subsessiond.core.scope.trie import LEAF_ENTRIES, STOP, Trie

Value = TypeVar("Value")


class Edges(Struct, Generic[Value], frozen=True, gc=False):
    """A persistent map from segments to values."""

    by_head: Trie[tuple[NamePart, Value]] = Trie()
    by_tail: Trie[str] = Trie()
    """Keys of `by_head`; empty while those are few."""

    def find(self, part: NamePart) -> Value | None:
        """Return what a segment leads to, or None."""
        found = self.by_head.find(_key(part))
        return None if found is None else found[1]

    def put(self, part: NamePart, value: Value) -> "Edges[Value]":
        """Return the edges with the segment leading to the value."""
        by_head = self.by_head.put(_key(part), (part, value))
        if by_head.size <= LEAF_ENTRIES or by_head.size == self.by_head.size:
            return Edges(by_head, self.by_tail)
        by_tail = self.by_tail
        if not by_tail.size:
            for key, edge in self.by_head.items():
                by_tail = by_tail.put(_tail_key(edge[0]), key)
        return Edges(by_head, by_tail.put(_tail_key(part), _key(part)))

    def drop(self, part: NamePart) -> "Edges[Value]":
        """Return the edges without the segment."""
        by_head = self.by_head.drop(_key(part))
        if by_head.size <= LEAF_ENTRIES:
            return Edges(by_head)
        return Edges(by_head, self.by_tail.drop(_tail_key(part)))

    def values(self) -> Iterator[Value]:
        """Go through all values."""
        return (value for _, (_, value) in self.by_head.items())

    def near(self, part: NamePart) -> Iterator[tuple[NamePart, Value]]:
        """Go through the edges whose segment agrees with another one at both literal ends."""
        head, tail = ends_of(part)
        backwards = tail[::-1]
        few = self.by_head.count_agreeing(head)
        if self.by_tail.size and self.by_tail.count_agreeing(backwards) < few:
            keys = (key for _, key in self.by_tail.agreeing(backwards))
            found = (edge for edge in (self.by_head.find(key) for key in keys) if edge is not None)
        else:
            found = (edge for _, edge in self.by_head.agreeing(head))
        return (edge for edge in found if may_meet(edge[0], part))


def _key(part: NamePart) -> str:
    return part + STOP if isinstance(part, str) else part.head + STOP + part.spelling + STOP


def _tail_key(part: NamePart) -> str:
    return ends_of(part)[1][::-1] + STOP + _key(part)
