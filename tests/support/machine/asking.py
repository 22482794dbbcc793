"""Rules of what else clients ask for."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from subsessiond.model.decision import Accepted
from subsessiond.model.events import (
    NodeReleased,
)
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.report import Outcome, Stage
from tests.support import moves
from tests.support.machine.hiring import CALLERS, Hiring
from tests.support.machine.stage import index, seldom
from tests.support.naive import Person


class Asking(Hiring):
    """Reports, mail, steering, and the ends that somebody asks for."""

    @rule(
        who=index,
        stage=st.sampled_from([None, Stage.PROGRESS, Stage.FINDING, Stage.FINAL]),
        outcome=st.sampled_from([Outcome.COMPLETED, Outcome.BLOCKED, Outcome.FAILED]),
        text=st.sampled_from(["one", "two", "x" * 5_000]),
        key=st.sampled_from([None, "k"]),
        end=st.booleans(),
        self_calls=st.sampled_from([True, True, True, False]),
    )
    def report(
        self,
        who: int,
        stage: Stage | None,
        outcome: Outcome,
        text: str,
        key: str | None,
        end: bool,
        self_calls: bool,
    ) -> None:
        """Report something; a first final settles."""
        label = self.label(who)
        one = self.naive.people.get(label)
        final = stage is Stage.FINAL
        fields: dict[str, Any] = {"outcome": outcome, "end_children": end} if final else {}
        by = None if self_calls else self.label(who + 5)
        busy = one is not None and any(child.live for child in self.naive.children(label))
        reply = self.play(moves.report(label, text, stage=stage, by=by, key=key, **fields))
        if one is None or one.parent is None or (by is not None and by != label):
            assert isinstance(reply, Rejection)
            assert reply.code is Code.NOT_ALLOWED
        elif isinstance(reply, Accepted) and final and not reply.already:
            assert one.live
            assert not (busy and outcome is Outcome.COMPLETED and not end)
            self.naive.settle(label, by_child=True)
        elif isinstance(reply, Rejection) and text == "one":
            late = Code.REPORT_UNDELIVERABLE if one.orphaned else Code.NODE_SETTLED
            assert reply.code is (Code.CHILDREN_LIVE if one.live else late)

    @rule(who=index)
    def checkpoint(self, who: int) -> None:
        """Write down where one stands."""
        self.play(moves.checkpoint(self.label(who)))

    @rule(who=index, by=st.sampled_from([None, *range(8)]))
    def steer(self, who: int, by: int | None = None) -> None:
        """Say something to somebody; without a caller it is the parent."""
        label = self.label(who)
        one = self.naive.people.get(label)
        parent = (one.parent if one is not None else None) or "nobody"
        caller = parent if by is None else self.label(by)
        reply = self.play(moves.steer(label, by=caller))
        if one is None or one.parent != caller:
            assert isinstance(reply, Rejection)
            assert reply.code is Code.NOT_FOUND

    @rule(who=index, by=st.sampled_from(["parent", "operator", "other"]), often=seldom)
    def cancel(self, who: int, by: str, often: int) -> None:
        """Stop a subtree; a root seldom."""
        label = self.label(who)
        one = self.naive.people.get(label)
        if often and one is not None and one.parent is None:
            return
        parent = one.parent if one is not None and one.parent is not None else "nobody"
        caller = {"parent": parent, "operator": moves.OPERATOR}.get(by) or self.label(who + 2)
        reply = self.play(moves.cancel(label, by=caller))
        if one is None or caller not in (moves.OPERATOR, one.parent):
            assert isinstance(reply, Rejection)
            assert reply.code is Code.NOT_FOUND
        elif one.parent is None:
            self.closed(one)
        elif one.live:
            one.stopping = True
            self.naive.settle(label)

    @rule(who=index, often=seldom)
    def close(self, who: int, often: int) -> None:
        """End a root."""
        if often:
            return
        label = self.label(who)
        reply = self.play(moves.close(label))
        one = self.naive.people.get(label)
        if one is None or one.parent is not None:
            assert isinstance(reply, Rejection)
        else:
            self.closed(one)

    def closed(self, one: Person) -> None:
        """Let the model close a root."""
        if not one.live:
            return
        one.stopping = True
        for child in self.naive.children(one.label):
            if child.live:
                self.naive.settle(child.label)
        self.naive.finish(one.label)

    @rule(who=index)
    def acknowledge(self, who: int) -> None:
        """Read a whole mailbox."""
        label = self.label(who)
        self.play(moves.acknowledge(label))
        for child, holder in tuple(self.naive.words.items()):
            if holder == label:
                del self.naive.words[child]

    @rule(who=index, by=st.sampled_from([*CALLERS, "root"]))
    def release(self, who: int, by: str) -> None:
        """Free a claim by hand."""
        label = self.label(who)
        one = self.naive.people.get(label)
        reply = self.play(moves.release(label, by=self.label(0) if by == "root" else by))
        may = by == moves.PERSON and one is not None and one.leftovers
        assert may == any(isinstance(event, NodeReleased) for event in self.now.events), reply
        if may:
            self.naive.release(label)

    @rule(who=index)
    def dismiss(self, who: int) -> None:
        """Take a row out of the queue."""
        self.play(moves.dismiss(self.label(who)))
