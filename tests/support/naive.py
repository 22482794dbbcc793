"""A naive model of the registry: plain dictionaries, no indexes, everything looked for everywhere.

It knows who lives under whom, what is claimed, what is lent and where the word of each settled
child lies. It shares no code with the core.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

UNIVERSE = tuple(
    "/".join(path)
    for path in (
        ("a",), ("b",), ("c",), ("x",), ("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("c", "x"),
        ("a", "x", "y"), ("a", "y", "x"), ("b", "y", "x"), ("c", "y", "z"), ("x", "x"), ("q", "z"),
    )
)  # fmt: skip
"""Paths enough to tell the patterns of the tests apart."""


def covers(pattern: str, path: str) -> bool:
    """Say whether a pattern, or a folder that it matches, holds a path."""
    names = path.split("/")
    return any(matches(pattern.split("/"), names[:count]) for count in range(1, len(names) + 1))


def matches(parts: list[str], names: list[str]) -> bool:
    """Match whole names; `**` stands for any number of them."""
    if not parts:
        return not names
    if parts[0] == "**":
        return any(matches(parts[1:], names[count:]) for count in range(len(names) + 1))
    return bool(names) and parts[0] in ("*", names[0]) and matches(parts[1:], names[1:])


def held(pattern: str) -> frozenset[str]:
    """Give all paths of the universe that a pattern holds."""
    return frozenset(path for path in UNIVERSE if covers(pattern, path))


@dataclass
class Person:
    """One node as the model sees it."""

    label: str
    parent: str | None
    role: str
    cap: int
    depth: int
    owns: tuple[str, ...] = ()
    status: str = "claimed"
    orphaned: bool = False
    stopping: bool = False
    leftovers: bool = False
    heir: str | None = None
    continues: str | None = None
    overlap: bool = False
    reserve: int = 3_200
    generation: int = 1
    up: bool = False
    """Whether its agent was ever up."""
    tokens: tuple[int, int] | None = None
    """The greatest input and output ever told of it."""

    @property
    def live(self) -> bool:
        """Whether it holds a slot."""
        return self.status in ("claimed", "running")


@dataclass
class Naive:
    """Everybody, the keys that were used, and who holds the last word of whom."""

    people: dict[str, Person] = field(default_factory=dict)
    keys: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    """Settled child to the mailbox that its last word lies in."""

    def above(self, label: str) -> Iterator[Person]:
        """Go up from a node, itself first."""
        at: str | None = label
        while at is not None:
            yield self.people[at]
            at = self.people[at].parent

    def root(self, label: str) -> str:
        """Find the root of a node."""
        return list(self.above(label))[-1].label

    def children(self, label: str) -> list[Person]:
        """List a node's children, oldest first."""
        return [one for one in self.people.values() if one.parent == label]

    def below(self, label: str) -> list[Person]:
        """List a node and all below it."""
        found = [self.people[label]]
        for child in self.children(label):
            found.extend(self.below(child.label))
        return found

    def lent(self, label: str) -> int:
        """Add up the caps of a node's live children."""
        return sum(child.cap for child in self.children(label) if child.live)

    def clash(self, owns: tuple[str, ...], exempt: set[str]) -> bool:
        """Look for anybody unreleased who holds one of these files."""
        return any(
            held(mine) & held(theirs)
            for other in self.people.values()
            if other.status != "released" and other.label not in exempt
            for mine in owns
            for theirs in other.owns
        )

    def settle(self, label: str, *, orphaned: bool = False, by_child: bool = False) -> None:
        """End a node and all that lives below it."""
        one = self.people[label]
        never_ran = one.status == "claimed" and not by_child
        one.status, one.orphaned = "settled", orphaned
        if one.parent is not None and not self.people[one.parent].orphaned:
            self.words[label] = one.parent
        for child in self.children(label):
            if child.live:
                self.settle(child.label, orphaned=True)
        if never_ran and one.continues is not None:
            self.people[one.continues].heir = None
            self.pass_words(label, one.continues)

    def release(self, label: str) -> None:
        """Let go of a node's files, and of a closing root whose children are all gone."""
        one = self.people[label]
        one.status, one.leftovers = "released", False
        self.finish(self.root(label))

    def finish(self, root: str) -> None:
        """Close a stopping root once nothing below it is left."""
        top = self.people[root]
        rest = [one for one in self.below(root)[1:] if one.status != "released"]
        if top.stopping and top.live and not rest:
            top.status = "released"

    def pass_words(self, giver: str, taker: str) -> None:
        """Hand a mailbox over."""
        for child, holder in self.words.items():
            if holder == giver:
                self.words[child] = taker

    def heir_parent(self, label: str) -> str | None:
        """Find whom a successor would live under."""
        for above in list(self.above(label))[1:]:
            at: Person | None = above
            while at is not None and not at.live:
                at = self.people[at.heir] if at.heir else None
            if at is not None:
                return at.label
        return None
