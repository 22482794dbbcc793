import pytest

from subsessiond.model.brief import Grant
from subsessiond.model.decision import Admitted
from subsessiond.model.effects import StartChild
from subsessiond.model.events import NodeAdmitted, NodeSettled
from subsessiond.model.message import Message, Source
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.role import Role, ToolClass
from tests.support.moves import (
    OPERATOR,
    PERSON,
    blocked,
    cancel,
    checkpoint,
    close,
    final,
    finding,
    spawn,
    succeed,
)
from tests.support.playbook import Play, later, nothing, play, said
from tests.support.policies import READ_TOOLS, a_policy
from tests.support.world import at_work, ended, gone, not_started, started


def hired() -> Play:
    """Begin with a worker that settled blocked and is gone."""
    now = at_work(play(), "w", owns="a", deadline_ms=99_000, title="Mine") >> checkpoint("w")
    return now >> blocked("w") >> gone("w")


def test_a_successor_inherits_the_brief_and_continues_it() -> None:
    """Mission, files and deadline are the predecessor's; the letter says what was left."""
    now = hired() >> succeed("heir", "w") << said(StartChild, "heir")
    heir, before = now.node("heir"), now.node("w")
    assert heir.brief is not None
    assert heir.brief.continues == before.node_id
    assert (heir.brief.mission, heir.brief.deadline_ms, heir.title) == ("Do it.", 99_000, "Mine")
    assert (heir.owns, heir.predecessor, heir.generation) == (("a",), before.node_id, 2)
    assert before.successor == heir.node_id
    assert heir.letter.startswith(f'continues: "{before.node_id}"\ncheckpoint: ')


def test_overrides_are_applied() -> None:
    """Role, mission and cap may be others; they pass the same checks."""
    now = hired() >> succeed("heir", "w", mission="Less.", token_cap=20_000, role="worker")
    heir = now.node("heir")
    assert heir.brief is not None
    assert (heir.brief.mission, heir.token_cap) == ("Less.", 20_000)
    _ = hired() >> succeed("heir", "w", token_cap=1) << Code.BRIEF_INVALID
    _ = hired() >> succeed("heir", "w", role="none") << Code.ROLE_UNKNOWN
    _ = hired() >> succeed("heir", "w", faults=("mission",)) << Code.BRIEF_INVALID


def test_a_command_line_stays_with_its_role() -> None:
    """Another role's agent is not given it."""
    now = at_work(play()) >> spawn("c", role="check", argv=("make",), by=OPERATOR)
    now = now >> started("c") >> ended("c") >> gone("c")
    same = now >> succeed("heir", "c", by=OPERATOR) << NodeAdmitted
    assert same.node("heir").argv == ("make",)
    other = now >> succeed("heir", "c", by=OPERATOR, role="worker") << NodeAdmitted
    assert other.node("heir").argv == ()


def test_who_may_hire_a_successor() -> None:
    """The node it would live under, and the operator; others learn nothing, not even that it is."""
    now = at_work(play(), "a", "b", role="lead") >> spawn("w", under="a") >> started("w")
    now = now >> final("w") >> gone("w")
    for by in ("b", "root", "w", "nobody"):
        _ = now >> succeed("heir", "w", by=by) << Code.NOT_FOUND << nothing
    for label in ("nobody", "root"):
        _ = now >> succeed("heir", label, by="a") << Code.NOT_FOUND << nothing
    _ = now >> succeed("heir", "w", by="a") << NodeAdmitted
    _ = now >> succeed("heir", "w", by=OPERATOR) << NodeAdmitted


def test_a_parent_that_may_not_hire_has_no_successors_either() -> None:
    """`delegate` is every parent tool, succeed included."""
    odd = Role(name="odd", tier="strong", depth_cap=1, tools=READ_TOOLS, token_cap=900_000)
    now = at_work(play(a_policy(odd)), "a", role="odd")
    now = now >> spawn("w", under="a", role="reader", by=OPERATOR) >> started("w") >> final("w")
    assert ToolClass.DELEGATE not in odd.tools
    _ = now >> succeed("heir", "w", by="a") << Code.NOT_FOUND << nothing


def test_the_parent_is_told_when_somebody_else_hires() -> None:
    """One notice; who hired itself needs none."""
    now = hired()
    told = now >> succeed("heir", "w", by=OPERATOR) << said(Message, "root", source=Source.NOTICE)
    assert told.id("heir") in told.mail("root")[-1].text
    own = now >> succeed("heir", "w")
    assert own.mail("root") == now.mail("root")


def test_the_silent_are_retired_first() -> None:
    """A predecessor that hangs is retired by the very call that succeeds it."""
    now = at_work(play(), "w") >> succeed("heir", "w") << Code.PREDECESSOR_LIVE << nothing
    now = now >> later(700_000) >> succeed("heir", "w")
    _ = now << said(NodeSettled, "w", settlement__reason="retired-silent")
    _ = now << said(NodeAdmitted, "heir")


def test_a_refusal_keeps_what_the_sweep_found() -> None:
    """Those that were retired stay so, whatever becomes of the succession."""
    now = at_work(play(), "w", "v") >> later(700_000) >> succeed("heir", "w", role="none")
    _ = now << Code.ROLE_UNKNOWN << said(NodeSettled, "v")


def test_whoever_calls_is_not_silent() -> None:
    """A lead that thought for long before it called is not retired by its own call."""
    now = at_work(play(), "a", role="lead") >> spawn("w", under="a") >> started("w") >> final("w")
    now = now >> gone("w") >> later(700_000) >> succeed("heir", "w", by="a") << NodeAdmitted
    assert now.node("a").is_live


def test_the_sweep_may_move_the_successor_up() -> None:
    """Where the parent is retired by the sweep, the nearest live one above it is the new parent."""
    now = at_work(play(), "a", role="lead") >> spawn("w", under="a") >> started("w") >> final("w")
    now = now >> gone("w") >> later(700_000) >> succeed("heir", "w", by=OPERATOR)
    now = now << said(NodeSettled, "a", settlement__reason="retired-silent")
    assert now.node("heir").parent == now.id("root")


def test_a_caller_that_the_sweep_orphans_hires_nobody() -> None:
    """Its own parent hung: the call ends with the reason, and what the sweep found stands."""
    now = at_work(play(), "a", role="lead")
    now = now >> spawn("b", under="a", role="lead", token_cap=500_000) >> started("b")
    now = now >> spawn("w", under="b") >> started("w") >> final("w") >> gone("w")
    now = now >> later(700_000) >> succeed("heir", "w", by="b") << Code.PARENT_NOT_LIVE
    assert not now.node("a").is_live
    assert not now.node("b").is_live


def test_nobody_left_above_means_nobody_is_hired() -> None:
    """The whole tree was closed."""
    now = at_work(play(), "w") >> final("w") >> gone("w") >> close()
    _ = now >> succeed("heir", "w", by=OPERATOR) << Code.PARENT_NOT_LIVE << nothing


def test_a_key_gives_the_same_successor() -> None:
    """S34 holds for succession too, and for another order under the key."""
    now = hired() >> succeed("heir", "w", key="k")
    _ = now >> succeed("again", "w", key="k") << nothing << said(Admitted, "heir")
    other = now >> succeed("again", "w", key="k", fingerprint="other") << Code.KEY_CONFLICT
    assert isinstance(other.reply, Rejection)


def test_a_grant_and_an_answer_are_a_persons() -> None:
    """Neither a parent nor a process of the operator grants anything; an answer has a limit."""
    now = hired()
    for by in ("root", OPERATOR):
        _ = now >> succeed("heir", "w", by=by, grant=Grant(tokens=1)) << Code.NOT_ALLOWED << nothing
        _ = now >> succeed("heir", "w", by=by, answer="Yes.") << Code.NOT_ALLOWED << nothing
    _ = now >> succeed("heir", "w", by=PERSON, answer="y" * 2_049) << Code.MESSAGE_TOO_LARGE
    granted = now >> succeed("heir", "w", by=PERSON, answer="Yes.", grant=Grant(tokens=1))
    letter = granted.node("heir").letter
    assert "operator answer: Yes." in letter
    assert "grants: 1 tokens" in letter


def test_an_answer_that_the_letter_cuts_is_told() -> None:
    """The letter keeps its bound, and whoever answered learns that its end is missing."""
    now = hired()
    cut = now >> succeed("heir", "w", by=PERSON, answer="y" * 2_048)
    assert isinstance(cut.reply, Admitted)
    assert "its end was cut" in cut.reply.warnings[0]
    whole = now >> succeed("heir", "w", by=PERSON, answer="one\n two  three")
    assert isinstance(whole.reply, Admitted)
    assert whole.reply.warnings == ()


def test_the_successor_of_one_with_leftovers_says_that_it_waits() -> None:
    """It is decided at once and starts after the operator's release."""
    now = at_work(play(), "w") >> final("w") >> gone("w", "pid 7") >> succeed("heir", "w")
    assert isinstance(now.reply, Admitted)
    assert "starts after the operator has released" in now.reply.warnings[0]


def test_a_waiting_successor_that_is_cancelled_never_starts() -> None:
    """The release of its predecessor then starts nobody, and the place is free again."""
    now = at_work(play(), "w", owns="a") >> final("w") >> succeed("heir", "w") >> cancel("heir")
    now = now >> gone("heir") >> gone("w")
    assert not any(isinstance(effect, StartChild) for effect in now.effects)
    assert not now.tree.claims
    _ = now >> succeed("next", "w") << said(StartChild, "next")


def test_a_failed_start_of_a_successor_is_tried_again_from_the_same_letter() -> None:
    """What the predecessor left is not buried under one that did nothing."""
    now = hired() >> succeed("heir", "w") >> not_started("heir", reason="start-timeout")
    now = now >> gone("heir") >> succeed("next", "w")
    assert "checkpoint:" in now.node("next").letter
    assert now.node("next").generation == 2


@pytest.mark.parametrize("word", [finding("w"), final("w")])
def test_a_settled_predecessor_that_speaks_on_does_not_hold_its_successor_up(word: object) -> None:
    """Late words change nothing of the line."""
    now = hired() >> succeed("heir", "w") >> word << Code.NODE_SETTLED  # type: ignore[operator]
    assert now.node("w").successor == now.id("heir")
