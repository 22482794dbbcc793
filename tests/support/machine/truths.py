"""What holds of the registry and its model whatever happened."""

from hypothesis.stateful import invariant

from subsessiond.core.lifecycle import runs_on
from subsessiond.model.effects import StopChild
from subsessiond.model.events import CancelRequested, MessagesMoved, NodeSettled
from subsessiond.model.message import MessageState
from subsessiond.model.report import Stage
from subsessiond.model.usage import Usage
from tests.support.machine.happening import Happening
from tests.support.naive import Person, held

STAYS = (MessageState.STAGED, MessageState.DELIVERED)
"""A message in one of these states lies in its mailbox."""


class Truths(Happening):
    """Invariants that look at tree, mail and effects from the outside."""

    @invariant()
    def the_same_people_stand_where_the_model_says(self) -> None:
        """Status, heirs, claims and caps are the model's."""
        assert len(self.naive.people) == len(self.now.tree.nodes)
        for label, one in self.naive.people.items():
            node = self.now.tree.nodes[self.now.id(label)]
            assert node.status.value == one.status, label
            assert self.now.label(node.successor) == one.heir, label
            assert (node.token_cap, node.depth, bool(node.leftovers)) == (
                one.cap,
                one.depth,
                one.leftovers,
            ), label

    @invariant()
    def tokens_are_what_was_told_at_most_and_summed_over_each_subtree(self) -> None:
        """No figure fell, none was added twice, and each sum says of how many nodes it is."""
        for label, one in self.naive.people.items():
            node = self.now.tree.nodes[self.now.id(label)]
            own = self.figures(node.measured)
            assert own == (one.tokens if one.tokens != (-1, -1) else None), label
            below = self.naive.below(label)[1:]
            told = [who.tokens for who in below if who.tokens and who.tokens != (-1, -1)]
            assert self.figures(node.below.measured) == summed(told), label
            up = [who for who in below if who.up]
            assert (node.below.reporting, node.below.started) == (len(told), len(up)), label

    def figures(self, usage: Usage | None) -> tuple[int, int] | None:
        """Give input and output; -1 = not reported."""
        if usage is None:
            return None
        return (
            -1 if usage.input is None else usage.input,
            -1 if usage.output is None else usage.output,
        )

    @invariant()
    def nobody_is_started_twice(self) -> None:
        """One admission, at most one start."""
        assert all(count == 1 for count in self.starts.values())

    @invariant()
    def the_word_of_every_settled_child_lies_where_it_should(self) -> None:
        """Exactly once, with its parent or who took over, until that has read it."""
        found = {
            self.now.label(message.sender): self.now.label(reader)
            for reader, box in self.now.tree.mail.items()
            for message in box
            if message.stage is Stage.FINAL
        }
        assert found == self.naive.words

    @invariant()
    def whoever_settles_is_stopped_and_nobody_else(self) -> None:
        """A child that settled in this step is stopped, unless an earlier life ran it.

        One that settled before, by its own final, is hurried by a cancel.
        """
        stopped = {effect.node for effect in self.now.effects if isinstance(effect, StopChild)}
        settled = {event.node for event in self.now.events if isinstance(event, NodeSettled)}
        hurried = any(isinstance(event, CancelRequested) for event in self.now.events)
        assert all(hurried and runs_on(self.now.tree.nodes[node]) for node in stopped - settled)
        for node in settled - stopped:
            record = self.now.tree.nodes[node]
            assert record.is_root or record.leftovers

    @invariant()
    def no_message_that_was_superseded_is_still_there(self) -> None:
        """What left a mailbox has left it."""
        lying = {m.message_id for box in self.now.tree.mail.values() for m in box}
        for event in self.now.events:
            if isinstance(event, MessagesMoved) and event.state not in STAYS:
                assert not lying & set(event.message_ids)

    @invariant()
    def two_never_hold_the_same_files(self) -> None:
        """But for those above, those taken over from, and those that were allowed to."""
        people = [one for one in self.naive.people.values() if one.owns]
        holders = [one for one in people if one.status != "released"]
        for place, one in enumerate(holders):
            for other in holders[place + 1 :]:
                if one.overlap or other.overlap or self.related(one, other):
                    continue
                assert not any(held(a) & held(b) for a in one.owns for b in other.owns)

    def related(self, one: Person, other: Person) -> bool:
        """Say whether one is above the other, or takes it over."""
        lines = [{up.label for up in self.naive.above(who.label)} for who in (one, other)]
        heirs = one.continues == other.label or other.continues == one.label
        return heirs or one.label in lines[1] or other.label in lines[0]

    def hold(self) -> None:
        """Check, also within a day, what holds whatever happened."""
        self.the_same_people_stand_where_the_model_says()
        self.tokens_are_what_was_told_at_most_and_summed_over_each_subtree()
        self.nobody_is_started_twice()
        self.the_word_of_every_settled_child_lies_where_it_should()
        self.whoever_settles_is_stopped_and_nobody_else()
        self.no_message_that_was_superseded_is_still_there()
        self.two_never_hold_the_same_files()


def summed(told: list[tuple[int, int]]) -> tuple[int, int] | None:
    """Add up what was reported of each figure."""
    if not told:
        return None
    given, output = ([n for n in figure if n >= 0] for figure in zip(*told, strict=True))
    return sum(given) if given else -1, sum(output) if output else -1
