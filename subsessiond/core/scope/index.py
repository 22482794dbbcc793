"""The claims of one workspace, kept so that those a pattern may meet are found without the rest.

Owns a persistent trie of segments. Brace-free paths are filed along their segments up to the first
`**`; a question walks it together with its own segments, as far as both are fixed. Every order is
a function of the claims alone.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Final, NamedTuple, TypeAlias

from msgspec import Struct

from subsessiond.core.scope.edges import Edges
from subsessiond.core.scope.names import NamePart, share_a_name
from subsessiond.core.scope.pattern import UNDECIDED, Meeting, Pattern, meeting_of
from subsessiond.core.scope.steps import BRIEF_STEPS, Meter, StepsSpentError
from subsessiond.core.scope.symbols import MANY, Many, Path

Exempt: TypeAlias = frozenset[str] | Callable[[str], bool]
"""Owners whose claims do not count, as a set or as a question."""


class Clash(NamedTuple):
    """A claim that the pattern asked about meets."""

    owner: str
    pattern: Pattern
    """The owner's."""
    meeting: Meeting


class _Entry(Struct, frozen=True, gc=False):
    """One brace-free path of one claimed pattern."""

    owner: str
    text: str
    number: int
    """Of the path among the alternatives of the pattern."""
    path: Path

    @property
    def key(self) -> tuple[str, str, int]:
        """What tells it from others, and its place in their order."""
        return self.owner, self.text, self.number


class _Node(Struct, frozen=True, gc=False):
    """All claims whose paths begin with the segments that lead here."""

    ends: tuple[_Entry, ...] = ()
    """Those whose path ends here or goes on with `**`, sorted."""
    names: Edges["_Node"] = Edges()
    """Those that go on with a name written out."""
    globs: Edges["_Node"] = Edges()
    """Those that go on with a name with magic in it."""

    def entries(self) -> Iterator[_Entry]:
        """Go through all claims at and below this place."""
        waiting: list[Iterator[_Node]] = [iter((self,))]
        while waiting:
            if node := next(waiting[-1], None):
                yield from node.ends
                waiting.append(chain(node.names.values(), node.globs.values()))
            else:
                waiting.pop()


class ClaimIndex(Struct, frozen=True):
    """The unreleased claims of one workspace; a value, as cheap to keep as to change."""

    _root: _Node = _Node()

    def with_claim(self, owner: str, patterns: tuple[Pattern, ...]) -> "ClaimIndex":
        """Return the index with the patterns claimed; one claimed already stays claimed once."""
        return self._changed(owner, patterns, _filed)

    def without(self, owner: str, patterns: tuple[Pattern, ...]) -> "ClaimIndex":
        """Return the index without the owner's claim on the patterns, if there is one."""
        return self._changed(owner, patterns, _unfiled)

    def first_meeting(
        self, pattern: Pattern, exempt: Exempt, *, step_budget: int = BRIEF_STEPS
    ) -> Clash | None:
        """Return a claim the pattern meets, the same one for the same claims.

        Returns:
            None only if the pattern provably meets no claim but exempt ones.
        """
        found = self.first_meeting_of((pattern,), exempt, step_budget=step_budget)
        return None if found is None else found[1]

    def first_meeting_of(
        self, patterns: tuple[Pattern, ...], exempt: Exempt, *, step_budget: int = BRIEF_STEPS
    ) -> tuple[Pattern, Clash] | None:
        """Return the first of several patterns that meets a claim, all on one step budget."""
        meter = Meter(step_budget)
        for asked in patterns:
            for clash in self.clashes(asked.alternatives, exempt, meter):
                return asked, clash
            if meter.is_spent:
                # Why: `clashes` has then looked at every claim, and all are exempt.
                break
        return None

    def meetings(
        self, pattern: Pattern, exempt: Exempt, limit: int, *, step_budget: int = BRIEF_STEPS
    ) -> tuple[Clash, ...]:
        """List claims the pattern meets, at most `limit`, each claimed pattern once."""
        found: dict[tuple[str, str], Clash] = {}
        for clash in self.clashes(pattern.alternatives, exempt, Meter(step_budget)):
            if len(found) >= limit:
                break
            found.setdefault((clash.owner, clash.pattern.text), clash)
        return tuple(found.values())

    def clashes(self, paths: Iterable[Path], exempt: Exempt, meter: Meter) -> Iterator[Clash]:
        """Go through the claims that count and meet one of the brace-free paths of a pattern.

        Where the budget ends on the way to claims, the first that counts stands for all of them.
        """
        is_exempt = exempt if callable(exempt) else exempt.__contains__
        try:
            for path in paths:
                for entry in _candidates(self._root, path, 0, meter):
                    if is_exempt(entry.owner):
                        continue
                    if meeting := meeting_of(path, entry.path, meter):
                        yield Clash(entry.owner, Pattern(entry.text), meeting)
        except StepsSpentError:
            counted = (one for one in self._root.entries() if not is_exempt(one.owner))
            yield from (
                Clash(one.owner, Pattern(one.text), UNDECIDED) for one in islice(counted, 1)
            )

    def _changed(
        self, owner: str, patterns: tuple[Pattern, ...], change: Callable[[_Node, _Entry], _Node]
    ) -> "ClaimIndex":
        root = self._root
        for pattern in patterns:
            for number, path in enumerate(pattern.alternatives):
                entry = _Entry(owner, pattern.text, number, path)
                root = _rehung(root, entry, 0, change)
        return ClaimIndex(root)


def _rehung(
    node: _Node, entry: _Entry, depth: int, change: Callable[[_Node, _Entry], _Node]
) -> _Node:
    """Change the node where an entry belongs and all nodes on the way there."""
    part = entry.path[depth] if depth < len(entry.path) else MANY
    if isinstance(part, Many):
        return change(node, entry)
    edges = node.names if isinstance(part, str) else node.globs
    child = _rehung(edges.find(part) or _NOTHING, entry, depth + 1, change)
    edges = edges.drop(part) if child == _NOTHING else edges.put(part, child)
    if isinstance(part, str):
        return _Node(node.ends, edges, node.globs)
    return _Node(node.ends, node.names, edges)


def _filed(node: _Node, entry: _Entry) -> _Node:
    others = _unfiled(node, entry).ends
    ends = tuple(sorted((*others, entry), key=lambda one: one.key))
    return _Node(ends, node.names, node.globs)


def _unfiled(node: _Node, entry: _Entry) -> _Node:
    ends = tuple(one for one in node.ends if one.key != entry.key)
    return _Node(ends, node.names, node.globs)


def _candidates(node: _Node, path: Path, depth: int, meter: Meter) -> Iterator[_Entry]:
    """Go through the claims at and below a place that a path may meet.

    Segments before the first `**` of either side must meet one by one; behind it anything may.
    """
    if depth == len(path):
        yield from node.ends
        return
    part = path[depth]
    if isinstance(part, Many):
        yield from node.entries()
        return
    yield from (entry for entry in node.ends if len(entry.path) > depth)
    for child in _following(node, part, meter):
        yield from _candidates(child, path, depth + 1, meter)


def _following(node: _Node, part: NamePart, meter: Meter) -> Iterator[_Node]:
    """Go through the places one segment further that share a name with a segment."""
    if isinstance(part, str):
        if child := node.names.find(part):
            yield child
    else:
        yield from (child for name, child in node.names.near(part) if _may(name, part, meter))
    yield from (child for glob, child in node.globs.near(part) if _may(glob, part, meter))


def _may(known: NamePart, part: NamePart, meter: Meter) -> bool:
    """Tell whether two segments share a name; the first one undecided counts as yes.

    Raises:
        StepsSpentError: the budget was used up before.
    """
    if meter.is_spent:
        raise StepsSpentError
    try:
        meter.spend(_EDGE_STEPS)
        return share_a_name(known, part, meter)
    except StepsSpentError:
        return True


_NOTHING: Final = _Node()
_EDGE_STEPS: Final = 2
"""Looking an edge up and following it costs about twice what a pair does that is told apart by its
last segments."""
