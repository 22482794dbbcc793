"""Rules of what happens by itself."""

from hypothesis import strategies as st
from hypothesis.stateful import rule
from immutables import Map
from msgspec.structs import replace

from subsessiond.core.indexes import restore
from subsessiond.model.events import (
    MessagesMoved,
    NodeStarted,
)
from subsessiond.model.node import Phase
from subsessiond.model.tree import Tree
from tests.support import world
from tests.support.machine.asking import Asking
from tests.support.machine.stage import index, seldom
from tests.support.playbook import later


class Happening(Asking):
    """Starts, signs, exits, the timer, and a new life of the daemon."""

    @rule(who=index)
    def start(self, who: int) -> None:
        """An agent is up."""
        label = self.label(who)
        one = self.naive.people.get(label)
        waits = one is not None and one.continues is not None
        if (
            one is not None
            and waits
            and self.naive.people[one.continues or ""].status != "released"
        ):
            return
        self.play(world.started(label))
        begun = any(isinstance(event, NodeStarted) for event in self.now.events)
        assert begun == (one is not None and one.status == "claimed")
        if begun and one is not None:
            one.status, one.up = "running", True

    @rule(who=index, reason=st.sampled_from(["start-failed", "start-timeout"]))
    def fail_start(self, who: int, reason: str) -> None:
        """An agent did not start."""
        label = self.label(who)
        one = self.naive.people.get(label)
        noted = one is not None and self.now.node(label).identity is not None
        tokens = self.now.node(label).grant.tokens if one is not None else 0
        self.play(world.not_started(label, reason=reason))
        if one is None or one.status != "claimed":
            return
        self.naive.settle(label)
        if reason == "start-failed" and not noted:
            self.naive.release(label)
            for above in list(self.naive.above(label))[1:]:
                above.cap -= tokens
            for place, (child, _) in tuple(self.naive.keys.items()):
                if child == label:
                    del self.naive.keys[place]

    @rule(who=index)
    def note(self, who: int) -> None:
        """A process was made."""
        self.play(world.noted(self.label(who)))

    @rule(who=index)
    def end(self, who: int) -> None:
        """A run is over."""
        label = self.label(who)
        self.play(world.ended(label))
        one = self.naive.people.get(label)
        if one is not None and one.live and one.parent is not None:
            self.naive.settle(label)

    @rule(who=index)
    def end_turn(self, who: int) -> None:
        """A turn is over."""
        self.play(world.turn_ended(self.label(who)))
        self.follow()

    @rule(who=index, phase=st.sampled_from([None, *Phase]))
    def sign(self, who: int, phase: Phase | None) -> None:
        """Somebody lives."""
        self.play(world.sign(self.label(who), phase=phase))

    @rule(
        who=index,
        tokens=st.tuples(st.sampled_from([0, 7, 90, -1]), st.sampled_from([0, 3, 80, 10**13])),
    )
    def use(self, who: int, tokens: tuple[int, int]) -> None:
        """Running totals of tokens are told, some lower than before, some that cannot be."""
        label, (given, output) = self.label(who), tokens
        self.play(world.used(label, given, output))
        one = self.naive.people.get(label)
        if one is not None and one.up and one.status != "released":
            most = one.tokens or (-1, -1)
            one.tokens = (max(most[0], given), max(most[1], output if output < 10**13 else -1))

    @rule(who=index, leftovers=st.sampled_from([(), (), ("pid 7",), ("pid 8",)]))
    def gone(self, who: int, leftovers: tuple[str, ...]) -> None:
        """Processes are gone, or not."""
        label = self.label(who)
        one = self.naive.people.get(label)
        self.play(world.gone(label, *leftovers))
        if one is None or one.status != "settled" or (one.leftovers and not leftovers):
            return
        if leftovers:
            one.leftovers = True
        else:
            self.naive.release(label)

    @rule(who=index, read=st.booleans())
    def deliver(self, who: int, read: bool) -> None:
        """Mail is handed over."""
        label = self.label(who)
        self.play(world.delivered(label, read=read))
        if read:
            for child, holder in tuple(self.naive.words.items()):
                if holder == label:
                    del self.naive.words[child]

    @rule(
        awake=st.sampled_from([0, 10, 5_000, 5_000, 61_000, 700_000]),
        wall=st.sampled_from([None, None, -(10**11), 0, 10**9]),
        at_once=st.booleans(),
    )
    def sweep(self, awake: int, wall: int | None, at_once: bool) -> None:
        """Time passes, clocks jump, and the timer looks who is silent."""
        self.now = self.now >> later(awake, wall_ms=wall)
        self.play(world.sweep(at_once=at_once))
        self.follow()

    @rule(leftovers=st.sampled_from([(), ("pid 9",)]), twice=st.booleans(), often=seldom)
    def restart(self, leftovers: tuple[str, ...], twice: bool, often: int) -> None:
        """The daemon starts anew: what it reads back is the same tree, and nobody lives on."""
        if often:
            return
        tree = Tree(seq=self.now.tree.seq, mail=self.now.tree.mail, keys=self.now.tree.keys)
        for name in sorted(self.now.tree.nodes):
            tree = restore(tree, self.now.tree.nodes[name])
        assert replace(self.now.tree, pace=Map()) == tree
        self.now = replace(self.now, tree=tree, awake_ms=0)
        for label in sorted(self.naive.people, reverse=True) * (2 if twice else 1):
            one = self.naive.people[label]
            self.play(world.recover(label, *leftovers))
            if one.parent is None or one.status == "released":
                # A root is shown again what it may not have read; that is no change of its life.
                assert all(isinstance(event, MessagesMoved) for event in self.now.events)
                self.play(world.recover(label, *leftovers))
                assert self.now.events == ()
                continue
            if one.live:
                self.naive.settle(label)
            if leftovers:
                one.leftovers = True
            else:
                self.naive.release(label)
