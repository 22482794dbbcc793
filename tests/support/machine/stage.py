"""The stage of the core machine: a play, the naive model, and how its nodes are chosen."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine
from msgspec.structs import replace

from subsessiond.model.effects import StartChild
from subsessiond.model.events import (
    CancelRequested,
    NodeSettled,
    TreeForgotten,
)
from subsessiond.model.node import Status
from tests.support.naive import Naive
from tests.support.playbook import Play, Step, play

LIMITS = {
    "live_per_parent": 3,
    "live_per_tree": 6,
    "live_total": 8,
    "spawns_per_tree": 40,
    "spawn_burst": 10**6,
    "generations": 3,
    "root_token_cap": 2_500_000,
}

index = st.integers(0, 200)
seldom = st.integers(0, 9)
"""A rule that ends much is drawn as often as any other, and then does something once in ten."""


class CoreStage(RuleBasedStateMachine):
    """One registry, driven through the playbook, and the model beside it."""

    def __init__(self) -> None:
        super().__init__()
        self.now: Play = play(None, **LIMITS)
        self.naive = Naive()
        self.starts: dict[str, int] = {}
        self.count = 0

    def label(self, number: int) -> str:
        """Choose a node, mostly a live child, and now and then nobody."""
        people = [self.naive.people[name] for name in sorted(self.naive.people)]
        live = [one.label for one in people if one.live and one.parent is not None]
        settled = [one.label for one in people if one.status == "settled"]
        labels = [*live * 4, *settled * 2, *(one.label for one in people), "nobody"]
        return labels[number % len(labels)]

    def employer(self, number: int) -> str:
        """Choose a node to spawn below, mostly one that may."""
        people = [self.naive.people[name] for name in sorted(self.naive.people)]
        may = [one.label for one in people if one.live and one.depth and not one.stopping]
        labels = [*may * 6, *(one.label for one in people), "nobody"]
        return labels[number % len(labels)]

    def fresh(self) -> str:
        """Make up a label."""
        self.count += 1
        return f"n{self.count:03}"

    def play(self, step: Step) -> Any:
        """Decide one command; the play itself checks invariants, folds and effects."""
        self.now = replace(self.now >> step, answered=True)
        for effect in self.now.effects:
            if isinstance(effect, StartChild):
                label = self.now.label(effect.node) or ""
                assert self.now.tree.nodes[effect.node].status is Status.CLAIMED
                self.starts[label] = self.starts.get(label, 0) + 1
        return self.now.reply

    def follow(self) -> None:
        """Let the model follow what only the clock decides: retirements, closed and old roots."""
        for event in self.now.events:
            label = self.now.label(event.node) or ""
            one = self.naive.people.get(label)
            if isinstance(event, TreeForgotten):
                for gone in self.naive.below(label):
                    self.naive.words.pop(gone.label, None)
                    del self.naive.people[gone.label]
            elif isinstance(event, CancelRequested) and one is not None and one.parent is None:
                one.stopping = True  # closed for being idle; it settles once all below is gone
            elif isinstance(event, NodeSettled) and one is not None and one.live:
                if one.parent is None:
                    one.stopping = True
                    self.naive.finish(label)
                else:
                    self.naive.settle(label)
