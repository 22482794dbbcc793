from subsessiond.model.events import MailForwarded, MessagesMoved
from subsessiond.model.message import Message, MessageState, Source
from subsessiond.model.report import Outcome, Stage
from tests.support.moves import (
    OPERATOR,
    acknowledge,
    cancel,
    final,
    finding,
    progress,
    resume,
    spawn,
    steer,
    succeed,
)
from tests.support.playbook import Play, play, said
from tests.support.world import at_work, delivered, ended, gone, not_started, started


def deserted() -> Play:
    """Begin with a lead that settled over a child's finding and end that it never read."""
    now = at_work(play(), "lead", role="lead") >> spawn("w", under="lead") >> started("w")
    return now >> finding("w") >> final("w") >> ended("lead") >> gone("lead") >> gone("w")


def test_an_unread_steer_comes_back_to_its_sender() -> None:
    """The notice names the message; the steer itself is undeliverable."""
    now = at_work(play(), "w") >> steer("w")
    name = now.mail("w")[0].message_id
    now = now >> final("w")
    now = now << said(MessagesMoved, "w", state=MessageState.UNDELIVERABLE)
    now = now << said(Message, "root", source=Source.NOTICE, sender="w")
    assert now.mail("w") == ()
    assert name in now.mail("root")[-1].text


def test_a_steer_that_was_read_does_not_come_back() -> None:
    """Nor does one whose child was only handed it and settled then: that one does."""
    now = at_work(play(), "w") >> steer("w")
    read = now >> delivered("w", read=True) >> final("w")
    assert [m.source for m in read.mail("root")] == [Source.REPORT]
    handed = now >> delivered("w") >> final("w")
    assert [m.source for m in handed.mail("root")] == [Source.REPORT, Source.NOTICE]


def test_what_the_operator_said_comes_back_to_nobody() -> None:
    """A person has no mailbox; she sees the message's state."""
    now = at_work(play(), "w") >> steer("w", by=OPERATOR) >> final("w")
    assert [m.source for m in now.mail("root")] == [Source.REPORT]


def test_nothing_comes_back_to_a_sender_that_has_settled() -> None:
    """Whoever takes over never said it, and would only wonder."""
    now = at_work(play(), "lead", role="lead") >> spawn("w", under="lead") >> started("w")
    now = now >> steer("w", by="lead") >> cancel("lead")
    assert [m.source for m in now.mail("lead")] == [Source.SETTLED]
    assert now.mail("w") == ()


def test_progress_of_others_is_left_alone() -> None:
    """A final supersedes its own child's progress only."""
    now = at_work(play(), "a", "b") >> progress("a") >> progress("b") >> final("a")
    assert [now.label(m.sender) for m in now.mail("root")] == ["b", "a"]


def test_unread_mail_passes_to_the_successor() -> None:
    """In order, with its names, addressed to the one who will read it."""
    now = deserted()
    before = now.mail("lead")
    now = now >> succeed("heir", "lead") << said(MailForwarded, "lead", to="heir")
    assert now.mail("lead") == ()
    assert [m.message_id for m in now.mail("heir")] == [m.message_id for m in before]
    assert {m.recipient for m in now.mail("heir")} == {now.id("heir")}


def test_without_a_successor_unread_mail_stays_for_the_operator_to_see() -> None:
    """A settled node's mailbox is not thrown away."""
    assert len(deserted().mail("lead")) == 2


def test_a_successor_that_never_ran_gives_the_mail_back() -> None:
    """So the next successor gets it, whichever way the first one was ended."""
    for end in (not_started("heir"), cancel("heir"), ended("heir")):
        now = deserted() >> succeed("heir", "lead") >> end
        now = now << said(MailForwarded, "heir", to="lead") >> gone("heir")
        now = now >> succeed("next", "lead") << said(MailForwarded, "lead", to="next")
        assert len(now.mail("next")) == 2


def test_a_successor_that_ran_keeps_its_mail() -> None:
    """Its own successor gets what it left unread."""
    now = deserted() >> succeed("heir", "lead") >> started("heir")
    now = now >> ended("heir") >> gone("heir")
    assert len(now.mail("heir")) == 2
    now = now >> succeed("next", "heir")
    assert len(now.mail("next")) == 2


def test_an_acknowledged_mailbox_is_not_forwarded() -> None:
    """There is nothing to hand over, and no event that says so."""
    now = at_work(play(), "lead", role="lead") >> spawn("w", under="lead") >> started("w")
    now = now >> final("w") >> acknowledge("lead") >> ended("lead") >> gone("lead")
    now = now >> succeed("heir", "lead")
    assert not any(isinstance(event, MailForwarded) for event in now.events)


def test_an_orphans_mail_is_kept_too() -> None:
    """What its child reported before everything ended passes to who continues the orphan."""
    now = at_work(play(), "a", role="lead")
    now = now >> spawn("b", under="a", role="lead", token_cap=500_000) >> started("b")
    now = now >> spawn("c", under="b") >> started("c") >> final("c") >> ended("a")
    settlement = now.node("b").settlement
    assert settlement is not None
    assert settlement.outcome is Outcome.ORPHANED
    now = now >> gone("b") >> succeed("heir", "b")
    assert [now.label(m.sender) for m in now.mail("heir")] == ["c"]


def test_what_a_predecessor_was_handed_comes_again_to_its_successor() -> None:
    """Nobody knows whether it had read it; what it never saw is not marked."""
    now = at_work(play(), "lead", role="lead") >> spawn("w", under="lead") >> started("w")
    now = now >> finding("w", "one") >> delivered("lead") >> finding("w", "two")
    now = now >> ended("lead") >> gone("lead") >> gone("w") >> succeed("heir", "lead")
    marks = [(m.stage, m.state, m.again) for m in now.mail("heir")]
    assert marks == [
        (Stage.FINDING, MessageState.STAGED, True),
        (Stage.FINDING, MessageState.STAGED, False),
        (Stage.FINAL, MessageState.STAGED, False),
    ]


def test_what_was_handed_over_is_not_superseded_when_it_is_put_back() -> None:
    """Newer progress takes the place of what nobody has seen, and of nothing else."""
    now = at_work(play(), "w") >> progress("w") >> delivered("root") >> resume("root")
    now = now >> final("w")
    assert [m.stage for m in now.mail("root")] == [Stage.PROGRESS, Stage.FINAL]
