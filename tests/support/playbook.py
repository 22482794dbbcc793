"""A small language in which a test of the core reads as the specification.

    play() >> open_root() >> spawn("w", owns="a/*") << NodeAdmitted << StartChild
           >> spawn("x", owns="a/b") << Code.SCOPE_OVERLAP

`>>` lets one command be decided, `<<` says what came of it. Nodes have short labels; clocks move by
one millisecond a command, and by `later` as far as one likes. After every command the tree keeps
its invariants, folding the events gives the same tree, and every event can be reacted to.

A play is a value: two tests may go on from the same beginning.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, Self

from immutables import Map
from msgspec import Struct
from msgspec.structs import replace

from subsessiond.core.decide import decide
from subsessiond.core.evolve import evolve
from subsessiond.core.invariants import check_tree
from subsessiond.core.react import react
from subsessiond.model.commands import Command
from subsessiond.model.decision import Reply
from subsessiond.model.effects import AnyEffect
from subsessiond.model.events import AnyEvent, Event
from subsessiond.model.ids import NodeId
from subsessiond.model.message import Message
from subsessiond.model.node import Node
from subsessiond.model.policy import Policy
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.tree import Tree
from tests.support.policies import a_policy

START_MS: Final = 1_800_000_000_000
AWAKE_MS: Final = 1_000_000

Step = Callable[["Play"], "Command | Play"]
"""A command made for the play as it stands, or the play moved on without one."""


class Expected(NamedTuple):
    """One event, effect, message or reply with these fields; names of nodes are labels."""

    kind: type
    label: str | None
    fields: tuple[tuple[str, Any], ...]


def said(what: type, label: str | None = None, /, **fields: Any) -> Expected:
    """Expect an event, effect, staged message or reply with these fields.

    Args:
        what: Its class. `Message` stands for a message that was staged.
        label: The node it is about; for a message, its recipient.
        fields: Values it must have; `settlement__reason` looks inside.
    """
    return Expected(what, label, tuple(fields.items()))


class Nothing:
    """Expect no event at all."""


nothing: Final = Nothing()


class Play(Struct, frozen=True, kw_only=True):
    """A tree, the clocks, and what the last command came to."""

    policy: Policy
    tree: Tree = Tree()
    at_ms: int = START_MS
    awake_ms: int = AWAKE_MS
    names: Map[str, NodeId] = Map()
    events: tuple[AnyEvent, ...] = ()
    """Of the last command; so are the next two."""
    effects: tuple[AnyEffect, ...] = ()
    reply: Reply | Rejection | None = None
    answered: bool = True
    """Whether a refusal has been expected, so that none goes unnoticed."""

    def __rshift__(self, step: Step) -> "Play":
        """Decide one more command."""
        self._notice_refusal()
        command = step(self)
        if isinstance(command, Play):
            return command
        return self.decide(command)

    def __lshift__(self, expected: Any) -> Self:
        """Say what the last command came to."""
        if isinstance(expected, Code):
            assert isinstance(self.reply, Rejection), f"{self.reply} is no {expected}"
            assert self.reply.code is expected, f"{self.reply} is no {expected}"
            return replace(self, answered=True)
        if isinstance(expected, Nothing):
            assert self.events == (), self.events
            return self
        wanted = expected if isinstance(expected, Expected) else said(expected)
        assert any(self._is(wanted, found) for found in self._came()), self._story(wanted)
        answered = self.answered or issubclass(wanted.kind, Rejection)
        return replace(self, answered=answered)

    def decide(self, command: Command) -> "Play":
        """Decide a command, and hold the core to what holds for every one."""
        decided = decide(self.tree, self.policy, command)
        check_tree(decided.tree)
        folded = self.tree
        for event in decided.events:
            folded = evolve(folded, event)
        assert folded == decided.tree
        effects = tuple(e for event in decided.events for e in react(decided.tree, event))
        return replace(
            self,
            tree=decided.tree,
            at_ms=self.at_ms + 1,
            awake_ms=self.awake_ms + 1,
            events=decided.events,
            effects=effects,
            reply=decided.reply,
            answered=not isinstance(decided.reply, Rejection),
        )

    def id(self, label: str) -> NodeId:
        """Give the id behind a label; an id of nobody for one that was never given."""
        return self.names.get(label) or id_of(9_000_000 + sum(label.encode()))

    def node(self, label: str) -> Node:
        """Give a node as it stands now."""
        self._notice_refusal()
        return self.tree.nodes[self.id(label)]

    def mail(self, label: str) -> tuple[Message, ...]:
        """Give a mailbox as it stands now."""
        self._notice_refusal()
        return self.tree.mail.get(self.id(label), ())

    def naming(self, label: str) -> "Play":
        """Give the next id to a label."""
        taken = id_of(len(self.names) + 1)
        return replace(self, names=self.names.set(label, taken))

    def label(self, node_id: str | None) -> str | None:
        """Give the label of an id."""
        return next((name for name, known in self.names.items() if known == node_id), None)

    def _notice_refusal(self) -> None:
        assert self.answered, f"refused, and nobody expected it: {self.reply}"

    def _came(self) -> tuple[Any, ...]:
        staged = tuple(event.message for event in self.events if hasattr(event, "message"))
        return (*self.events, *self.effects, *staged, self.reply)

    def _is(self, wanted: Expected, found: Any) -> bool:
        if not isinstance(found, wanted.kind):
            return False
        about = getattr(found, "node", None) or getattr(found, "recipient", None)
        about = about or getattr(found, "node_id", None)
        if wanted.label is not None and self.label(about) != wanted.label:
            return False
        return all(self._same(_look(found, name), value) for name, value in wanted.fields)

    def _same(self, found: Any, wanted: Any) -> bool:
        return bool(found == wanted) or (wanted is not None and self.label(found) == wanted)

    def _story(self, wanted: Expected) -> str:
        came = "\n  ".join(str(found) for found in self._came())
        return f"expected {wanted}, but there came\n  {came}"


def play(policy: Policy | None = None, **limits: Any) -> Play:
    """Begin with an empty tree, under the policy of the tests or another one."""
    return Play(policy=policy if policy is not None else a_policy(**limits))


def id_of(number: int) -> NodeId:
    """Spell a number as a node id; greater numbers are younger nodes."""
    return NodeId(f"{number:026d}")


def later(ms: int, *, wall_ms: int | None = None) -> Step:
    """Let time pass: awake time, and the wall clock by as much or by another step."""

    def step(now: Play) -> Play:
        moved = ms if wall_ms is None else wall_ms
        return replace(now, at_ms=now.at_ms + moved, awake_ms=now.awake_ms + ms)

    return step


def _look(found: Any, path: str) -> Any:
    for name in path.split("__"):
        found = getattr(found, name, None)
    return found


def kinds(events: tuple[Event, ...]) -> tuple[str, ...]:
    """Name the events, for tests of their order."""
    return tuple(type(event).__name__ for event in events)
