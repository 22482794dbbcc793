import pytest

from subsessiond.model.effects import PromptChild, WakeReader
from subsessiond.model.events import FinalAsked, NodeSettled, RefusalNoted, SignSeen
from subsessiond.model.message import Message, Source
from subsessiond.model.node import Phase, StopReason
from subsessiond.model.report import Outcome, Stage
from tests.support.moves import (
    acknowledge,
    checkpoint,
    final,
    finding,
    progress,
    report,
    spawn,
    steer,
    succeed,
)
from tests.support.playbook import Play, later, nothing, play, said
from tests.support.world import (
    at_work,
    delivered,
    ended,
    gone,
    sign,
    started,
    turn_ended,
    turned_away,
)


def reason(now: Play, label: str) -> str:
    """Give the reason a node has settled for."""
    settlement = now.node(label).settlement
    assert settlement is not None
    return settlement.reason


@pytest.mark.scenario("S03")
def test_ends_without_a_final_have_their_own_reasons() -> None:
    """S03: each settles failed once, with its reason, its checkpoint kept, one notice each."""
    now = at_work(play(), "a", "b", "c")
    for label in "abc":
        now = now >> progress(label) >> checkpoint(label)
    now = now >> ended("a", reason="ended-without-final")
    now = now >> ended("b", reason="killed-by-signal")
    now = now >> ended("c", reason="turn-limit") >> gone("a") >> gone("b") >> gone("c")
    assert [reason(now, label) for label in "abc"] == [
        "ended-without-final",
        "killed-by-signal",
        "turn-limit",
    ]
    assert now.tree.live_total == 0
    notices = [m for m in now.mail("root") if m.source is Source.SETTLED]
    assert [now.label(m.sender) for m in notices] == ["a", "b", "c"]
    now = now >> succeed("heir", "a")
    assert f"journals/{now.id('a')}.journal.jsonl#3" in now.node("heir").letter


def test_an_end_after_the_final_changes_nothing() -> None:
    """The outcome is decided once, by whatever was accepted first."""
    now = at_work(play(), "w")
    assert reason(now >> final("w") >> ended("w") << nothing, "w") == "final-report"
    assert reason(now >> ended("w") >> ended("w") << nothing, "w") == "exit-status"
    _ = now >> ended("nobody") << nothing
    _ = now >> ended("root") << nothing


def test_the_runtimes_words_are_bounded() -> None:
    """The tail of a command's output has at most the report's size, the rest its own bounds."""
    now = at_work(play(), "w") >> ended(
        "w", output="a" + "x" * 9_000, diagnostic="d" * 9_000, reason="r" * 500
    )
    settlement = now.node("w").settlement
    assert settlement is not None
    assert settlement.output == "x" * 1_800
    assert len((settlement.diagnostic or "").encode()) == 4_096
    assert len(settlement.reason.encode()) <= 64
    assert "d" * 10 not in now.mail("root")[0].text


def test_a_silent_turn_is_asked_once_for_its_final() -> None:
    """The question is one bounded sentence; the second clean end settles failed."""
    now = at_work(play(), "w") >> turn_ended("w") << FinalAsked << said(PromptChild, "w")
    assert isinstance(now.effects[0], PromptChild)
    assert len(now.effects[0].text) < 250
    now = now >> turn_ended("w") << said(NodeSettled, "w")
    assert reason(now, "w") == "ended-without-final"


def test_what_an_agent_said_instead_of_a_final_is_for_the_operator() -> None:
    """It is cut to the bound of diagnostics, and no parent is shown it."""
    now = at_work(play(), "w") >> turn_ended("w") >> turn_ended("w", diagnostic="é" * 9_000)
    settlement = now.node("w").settlement
    assert settlement is not None
    assert settlement.diagnostic is not None
    assert 4_000 < len(settlement.diagnostic.encode()) <= 4_096
    assert "é" not in now.mail("root")[0].text


def test_the_last_report_without_a_stage_is_promoted() -> None:
    """It becomes the final in the child's own words, outcome completed, and one more message."""
    now = at_work(play(), "w") >> report("w", "early") >> report("w", "latest")
    now = now >> turn_ended("w") >> turn_ended("w")
    now = now << said(Message, "root", source=Source.REPORT, stage=Stage.FINAL)
    settlement = now.node("w").settlement
    assert settlement is not None
    assert (settlement.reason, settlement.output, settlement.outcome, settlement.stop_reason) == (
        "promoted",
        "latest",
        Outcome.COMPLETED,
        StopReason.COMPLETED,
    )
    assert len([m for m in now.mail("root") if m.stage is Stage.FINAL]) == 1


def test_a_run_that_cannot_be_asked_is_promoted_at_its_end() -> None:
    """Who left cleanly, for good, is held to its last report without a stage, and asked nothing."""
    now = at_work(play(), "w") >> report("w", "latest")
    left = now >> ended("w", promotes=True, produced_bytes=7)
    settlement = left.node("w").settlement
    assert settlement is not None
    assert (settlement.reason, settlement.output, settlement.produced_bytes) == (
        "promoted",
        "latest",
        7,
    )
    assert not left.node("w").asked_for_final
    assert reason(now >> ended("w"), "w") == "exit-status"
    silent = at_work(play(), "w") >> progress("w") >> ended("w", promotes=True)
    assert reason(silent, "w") == "exit-status"


def test_nobody_is_promoted_who_leaves_children_behind() -> None:
    """A completed final while children live is refused, so a promotion is none either."""
    now = at_work(play(), "w", role="lead") >> report("w", "latest")
    now = now >> spawn("below", under="w") >> ended("w", promotes=True)
    assert reason(now, "w") == "exit-status"
    assert reason(now, "below") == "parent-settled"


def test_reports_with_a_stage_neither_are_promoted_nor_hide_one_that_can_be() -> None:
    """The newest report without a stage counts, whatever was said after it with one."""
    now = at_work(play(), "w")
    only = now >> finding("w") >> progress("w") >> turn_ended("w") >> turn_ended("w")
    assert reason(only, "w") == "ended-without-final"
    hidden = now >> report("w", "mine") >> progress("w") >> turn_ended("w") >> turn_ended("w")
    assert reason(hidden, "w") == "promoted"


@pytest.mark.parametrize("fault", ["sections", "schema"])
def test_a_promotion_is_held_to_the_contract(fault: str) -> None:
    """The last one counts: an earlier one that was fit does not stand in for it."""
    now = at_work(play(), "w", sections=("risks",))
    now = now >> report("w", "fit", sections={"risks": "none"})
    if fault == "sections":
        now = now >> report("w", "unfit")
    else:
        now = now >> report("w", "unfit", sections={"risks": ""}, schema_fault="$ is missing")
    now = now >> turn_ended("w") >> turn_ended("w")
    assert reason(now, "w") == "ended-without-final"


def test_a_parent_of_a_live_child_may_wait() -> None:
    """It is not asked, its clock stands still, and the child's end wakes it."""
    now = at_work(play(), "lead", role="lead") >> spawn("w", under="lead") >> started("w")
    now = now >> turn_ended("lead") << said(SignSeen, "lead", phase=Phase.WAITING)
    assert not now.effects
    now = now >> final("w") << said(WakeReader, "lead")


def test_a_node_with_unread_mail_may_wait_and_is_woken() -> None:
    """Also by a notice and by quiet mail: whatever waits is handed over next."""
    now = at_work(play(), "lead", role="lead") >> spawn("w", under="lead") >> started("w")
    now = now >> final("w") >> turn_ended("lead")
    _ = now << said(SignSeen, "lead", phase=Phase.WAITING) << said(WakeReader, "lead")


@pytest.mark.parametrize("read", [True, False], ids=["acknowledged", "handed over"])
def test_mail_that_was_handed_over_is_waited_for_no_longer(read: bool) -> None:
    """Otherwise a turn that ends after its mail would never be asked for its final."""
    now = at_work(play(), "lead", role="lead") >> spawn("w", under="lead") >> started("w")
    now = now >> final("w") >> (acknowledge("lead") if read else delivered("lead"))
    _ = now >> turn_ended("lead") << FinalAsked


def test_a_node_with_a_pending_steer_may_wait() -> None:
    """What its parent said comes with its next turn."""
    now = at_work(play(), "w") >> steer("w") >> turn_ended("w")
    _ = now << said(SignSeen, "w", phase=Phase.WAITING)


def test_only_a_running_childs_turn_ends() -> None:
    """Nothing happens to a root, to one that starts, to a settled one or to nobody."""
    now = at_work(play(), "w") >> spawn("v")
    for label in ("root", "v", "nobody"):
        _ = now >> turn_ended(label) << nothing
    _ = now >> final("w") >> turn_ended("w") << nothing


def test_a_sign_of_life_sets_clock_and_phase() -> None:
    """The stamps move; a phase that is not named stays."""
    now = at_work(play(), "w") >> later(5_000) >> sign("w", "tool", Phase.IN_TOOL) >> sign("w")
    node = now.node("w")
    assert (node.phase, node.last_sign, node.sign_awake_ms) == (
        Phase.IN_TOOL,
        "update",
        now.awake_ms - 1,
    )
    assert now.tree.seq == (at_work(play(), "w")).tree.seq


@pytest.mark.parametrize("phase", [Phase.WAITING, Phase.RATE_LIMITED])
def test_a_rest_ends_with_the_next_word(phase: Phase) -> None:
    """A report or a checkpoint shows that the child works again."""
    now = at_work(play(), "w") >> sign("w", "rest", phase)
    assert (now >> finding("w")).node("w").phase is Phase.WORKING
    assert (now >> checkpoint("w")).node("w").phase is Phase.WORKING


def test_the_wait_ends_when_the_mail_is_handed_over() -> None:
    """The silence clock, which stood still, begins anew."""
    now = at_work(play(), "lead", role="lead") >> spawn("w", under="lead") >> started("w")
    now = now >> turn_ended("lead") >> later(3_600_000) >> final("w") >> delivered("lead")
    node = now.node("lead")
    assert (node.phase, node.sign_awake_ms) == (Phase.WORKING, now.awake_ms - 1)


@pytest.mark.scenario("S31")
def test_a_node_that_starts_gives_no_signs() -> None:
    """S31: what a starting agent prints does not lengthen its start."""
    now = at_work(play()) >> spawn("w")
    _ = now >> sign("w") << nothing
    _ = now >> sign("root") << nothing
    _ = now >> sign("nobody") << nothing


def test_a_sign_is_a_word() -> None:
    """A runner cannot carry an agent's text into what a parent is shown."""
    now = at_work(play(), "w") >> sign("w", "tool\nrm -rf " + "x" * 500)
    assert len(now.node("w").last_sign.encode()) <= 40
    assert "\n" not in now.node("w").last_sign


@pytest.mark.scenario("S20")
def test_refused_calls_are_marked_on_the_node() -> None:
    """S20: who was turned away too often can be seen."""
    now = at_work(play(), "w") >> turned_away("w") << RefusalNoted >> turned_away("w")
    assert now.node("w").refusals == 2
    _ = now >> turned_away("nobody") << nothing
