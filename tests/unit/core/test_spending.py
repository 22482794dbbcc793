"""Caps on measured tokens: one word near the end, and the end."""

import pytest

from subsessiond.core.spending import spent_tokens
from subsessiond.core.words import WRAP_UP
from subsessiond.model.effects import PromptChild, StopChild
from subsessiond.model.events import MessageStaged, NodeSettled, WrapUpAsked
from subsessiond.model.node import Author, Phase, Status, StopReason
from subsessiond.model.report import Outcome
from subsessiond.model.usage import Usage
from tests.support.moves import checkpoint, final, spawn
from tests.support.playbook import Play, kinds, nothing, play, said
from tests.support.world import at_work, sign, started, used

CAP = 100_000
RESERVE = 3_200
"""Twice the report limit of 600, and 2,000."""


def slowly(now: Play, label: str, total: int) -> Play:
    """A node spends in steps of at most 1,000 until it has spent so much."""
    for spent in (*range(1_000, total, 1_000), total):
        now = now >> used(label, spent)
    return now


def test_what_a_cache_gave_is_not_spent() -> None:
    """All else is; of nothing measured nothing is spent, which is not zero."""
    usage = Usage(input=1, cache_read=1_000, cache_write=20, output=300)
    assert spent_tokens(usage) == 321
    assert spent_tokens(Usage(cache_read=5)) is None
    assert spent_tokens(None) is None


def test_a_node_is_told_once_that_its_reserve_is_all_it_has() -> None:
    """At the cap less the reserve, not before; the message waits like any that is said to it."""
    now = slowly(at_work(play(), "w", token_cap=CAP), "w", CAP - RESERVE - 1)
    assert not now.node("w").wrapped_up
    now = now >> used("w", CAP - RESERVE, cache_read=10**9)
    now = now << WrapUpAsked << MessageStaged << said(PromptChild, "w", text=WRAP_UP)
    now = now >> used("w", CAP - RESERVE + 10)
    assert WrapUpAsked.__name__ not in kinds(now.events)
    assert now.node("w").status is Status.RUNNING


def test_who_spends_fast_is_told_earlier() -> None:
    """With three steps to spare at its pace of now, but never before half of the cap."""
    now = slowly(at_work(play(), "w", token_cap=CAP), "w", 49_000) >> used("w", 69_999 - 20_000)
    assert not now.node("w").wrapped_up
    _ = now >> used("w", 69_999) << WrapUpAsked
    half = at_work(play(), "x", token_cap=CAP) >> used("x", CAP // 2 - 1)
    assert not half.node("x").wrapped_up
    _ = half >> used("x", CAP - 1) << WrapUpAsked


def test_at_the_cap_a_node_is_stopped_with_its_last_checkpoint() -> None:
    """What it wrote down last is its record; its parent reads who wrote that."""
    now = at_work(play(), "w", token_cap=CAP) >> checkpoint("w", phase="half", next_step="the rest")
    now = now >> used("w", CAP - 1) << WrapUpAsked >> used("w", CAP - 1, 1)
    now = now << NodeSettled << said(StopChild, "w")
    end = now.node("w").settlement
    assert end is not None
    assert (end.outcome, end.stop_reason) == (Outcome.FAILED, StopReason.MAX_TOKENS)
    assert (end.reason, end.author) == ("token-cap", Author.RUNTIME)
    assert "phase: half" in end.output
    assert "next step: the rest" in end.output
    assert f"{CAP} tokens of {CAP}" in end.output
    told = now.tree.mail[now.id("root")]
    assert "The runtime wrote this" in told[-1].text


def test_one_great_step_over_the_cap_ends_it_at_once() -> None:
    """No word is said that nobody could act on, and no checkpoint is made up."""
    now = at_work(play(), "w", token_cap=CAP) >> used("w", 5 * CAP) << NodeSettled
    end = now.node("w").settlement
    assert end is not None
    assert "left no checkpoint" in end.output
    assert WrapUpAsked.__name__ not in kinds(now.events)


def test_a_cap_covers_all_that_is_below() -> None:
    """A child's tokens are its parent's too: the parent is told, then ended with all its own."""
    now = at_work(play(), "lead", role="lead", token_cap=CAP)
    now = now >> spawn("a", under="lead", token_cap=30_000) >> started("a")
    now = now >> spawn("b", under="lead", token_cap=30_000) >> started("b")
    now = now >> used("lead", CAP // 2 - 1) >> used("a", 29_000)
    now = now << said(WrapUpAsked, "lead") >> used("b", 22_000) << said(NodeSettled, "lead")
    assert now.node("lead").settlement.reason == "token-cap"  # type: ignore[union-attr]
    for label in ("a", "b"):
        assert now.node(label).settlement.outcome is Outcome.ORPHANED  # type: ignore[union-attr]
    assert now.node("root").status is Status.RUNNING


def test_a_child_at_its_own_cap_leaves_its_parent_at_work() -> None:
    """What is below counts by what it spent, not by what it was lent."""
    now = at_work(play(), "lead", role="lead", token_cap=CAP)
    now = now >> spawn("a", under="lead", token_cap=30_000) >> started("a") >> used("a", 30_000)
    now = now << said(NodeSettled, "a")
    assert now.node("lead").status is Status.RUNNING
    assert not now.node("lead").wrapped_up


def test_tokens_told_after_the_end_hold_only_those_above() -> None:
    """A settled node keeps its end; its parent's cap covers what it used up to the last."""
    now = at_work(play(), "lead", role="lead", token_cap=CAP)
    now = now >> spawn("a", under="lead", token_cap=30_000) >> started("a") >> final("a")
    now = now >> used("lead", CAP - 30_000) >> used("a", 30_000) << said(NodeSettled, "lead")
    assert now.node("a").settlement.outcome is Outcome.COMPLETED  # type: ignore[union-attr]


def test_a_child_that_tells_a_false_figure_ends_nobody_but_itself() -> None:
    """Its parent's cap covers what the child was lent, not what it says that it has spent."""
    now = at_work(play(), "lead", role="lead", token_cap=CAP)
    now = now >> spawn("a", under="lead", token_cap=30_000) >> started("a")
    now = now >> spawn("b", under="lead", token_cap=30_000) >> started("b") >> used("a", 10**12)
    now = now << said(NodeSettled, "a")
    assert now.node("lead").status is Status.RUNNING
    assert now.node("b").status is Status.RUNNING
    assert now.node("lead").below.measured == Usage(input=10**12)


def test_a_false_figure_hurries_nobody_above_either() -> None:
    """Their pace is that of what is counted towards their caps, not of what a child says."""
    now = at_work(play(), "lead", role="lead", token_cap=CAP)
    now = now >> spawn("a", under="lead", token_cap=30_000) >> started("a")
    now = slowly(slowly(now, "lead", 30_000), "a", 20_000) >> used("a", 10**12)
    assert now.node("a").settlement is not None
    assert not now.node("lead").wrapped_up


@pytest.mark.parametrize("phase", [Phase.WAITING, Phase.RATE_LIMITED])
def test_who_waits_is_told_too(phase: Phase) -> None:
    """Figures of a turn come after its end: the word begins the next one."""
    now = at_work(play(), "w", token_cap=CAP) >> sign("w", "turn-end", phase)
    _ = now >> used("w", CAP - 1) << said(PromptChild, "w", text=WRAP_UP)


def test_who_reports_no_tokens_is_held_by_none() -> None:
    """Nothing is made up where nothing was measured."""
    now = at_work(play(), "w", token_cap=CAP)
    _ = now >> used("w") << nothing
    assert now.node("w").status is Status.RUNNING
