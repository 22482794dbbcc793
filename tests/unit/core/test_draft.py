from subsessiond.core.draft import Draft, refuse
from subsessiond.model.commands import Sweep
from subsessiond.model.events import CancelRequested, SilenceMarked
from subsessiond.model.ids import message_id
from subsessiond.model.rejection import Code, Rejection
from tests.support.playbook import Play, play
from tests.support.world import at_work


def draft_of(now: Play) -> Draft:
    """Begin a decision on a play's tree."""
    return Draft(now.tree, now.policy, Sweep(at_ms=5, awake_ms=7))


def test_durable_events_are_numbered_without_gaps_and_stamped() -> None:
    """Telemetry in between has no number."""
    now = at_work(play(), "w")
    draft = draft_of(now)
    draft.add(CancelRequested, now.id("w"))
    draft.add(SilenceMarked, now.id("w"))
    draft.add(CancelRequested, now.id("root"))
    events = draft.done().events
    assert [event.seq for event in events] == [now.tree.seq + 1, 0, now.tree.seq + 2]
    assert {(event.at_ms, event.awake_ms) for event in events} == {(5, 7)}


def test_a_draft_sees_what_it_has_decided() -> None:
    """Later steps of one decision stand on the earlier ones; the tree it began with stays."""
    now = at_work(play(), "w")
    draft = draft_of(now)
    draft.add(CancelRequested, now.id("w"))
    assert draft.node(now.id("w")).stopping
    assert not now.node("w").stopping


def test_a_message_is_named_after_who_caused_it() -> None:
    """The first one has the number 1."""
    now = at_work(play(), "w")
    assert draft_of(now).next_message(now.id("w")) == message_id(now.id("w"), 1)


def test_a_refusal_may_leave_a_trace() -> None:
    """What happened on the way to it has happened."""
    now = at_work(play(), "w")
    draft = draft_of(now)
    draft.add(CancelRequested, now.id("w"))
    rejection = Rejection(code=Code.BUSY, step="x")
    decided = refuse(draft, rejection)
    assert (decided.reply, len(decided.events)) == (rejection, 1)
