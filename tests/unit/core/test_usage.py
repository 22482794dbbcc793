"""Measured tokens of a node, and of what is below it."""

import pytest

from subsessiond.model.events import NodeAdmitted, UsageMeasured, UsageSeen
from subsessiond.model.node import Phase
from subsessiond.model.rejection import Code
from subsessiond.model.usage import Below, Usage
from tests.support.moves import final, spawn
from tests.support.playbook import later, nothing, play
from tests.support.world import at_work, gone, not_started, sign, started, used


@pytest.mark.scenario("S40")
def test_totals_of_tokens_never_fall_and_are_not_added_up() -> None:
    """S40: each figure is the greatest that was told; what tells nothing new is no event."""
    now = at_work(play(), "w") >> used("w", 100, 10) >> used("w", 250, 5)
    assert now.node("w").measured == Usage(input=250, output=10)
    for again in (used("w", 250, 10), used("w", 1, 1), used("w"), used("w", -7, 10**13)):
        _ = now >> again << nothing
    assert (now >> used("w", cache_read=3)).node("w").measured == Usage(
        input=250, cache_read=3, output=10
    )


@pytest.mark.scenario("S40")
def test_nothing_is_measured_of_who_was_never_up() -> None:
    """S40: neither of one that starts, nor of a root, nor of nobody, nor of one that is gone."""
    now = at_work(play(), "w") >> spawn("x") >> final("w") >> gone("w")
    for label in ("x", "root", "nobody", "w"):
        _ = now >> used(label, 5, 5) << nothing


@pytest.mark.scenario("S40")
def test_figures_are_durable_seldom_while_it_runs_and_always_when_it_has_ended() -> None:
    """One commit in half a minute at most; the record of the end holds all that was known."""
    now = at_work(play(), "w") >> later(40_000) >> used("w", 1) << UsageMeasured
    now = now >> later(20_000) >> used("w", 2) << UsageSeen >> later(20_000) >> used("w", 3)
    now = now << UsageMeasured >> used("w", 4) << UsageSeen >> final("w")
    said = now.node("w").settlement
    assert said is not None
    assert said.measured == Usage(input=4)
    now = now >> used("w", 9) << UsageMeasured
    assert now.node("w").measured == Usage(input=9)


@pytest.mark.scenario("S40")
def test_tokens_move_no_budget() -> None:
    """S40: however much was measured, as much may be lent as before."""
    now = at_work(play(), "lead", role="lead", token_cap=300_000)
    spent = now >> used("lead", 200_000, 50_000, cache_read=10**9)
    for begin in (now, spent):
        _ = begin >> spawn("w", under="lead", token_cap=250_000) << NodeAdmitted
        _ = begin >> spawn("w", under="lead", token_cap=299_999) << Code.TREE_BUDGET_EXCEEDED
    assert now.tree.lent == spent.tree.lent


@pytest.mark.scenario("S40")
def test_figures_are_summed_over_what_is_below_each_counted_once() -> None:
    """S40: at every ancestor the sum is of all below it, and says of how many of them it is."""
    now = at_work(play(), "lead", role="lead") >> spawn("a", under="lead") >> started("a")
    now = now >> spawn("b", under="lead") >> started("b") >> spawn("c", under="lead")
    now = now >> not_started("c") >> used("a", 100, 10) >> used("a", 120, 12)
    lead = now.node("lead")
    assert lead.below == Below(measured=Usage(input=120, output=12), reporting=1, started=2)
    now = now >> used("b", 30, cache_read=4) >> used("lead", 7, 1)
    assert now.node("lead").below.measured == Usage(input=150, cache_read=4, output=12)
    root = now.node("root").below
    assert root == Below(measured=Usage(input=157, cache_read=4, output=13), reporting=3, started=3)


def test_tokens_are_a_sign_of_life_but_wake_nobody_who_waits() -> None:
    """What a turn used is told after its end: it does not start the silence clock again."""
    now = at_work(play(), "w") >> later(5_000) >> used("w", 5)
    assert (now.node("w").last_sign, now.node("w").sign_awake_ms) == ("tokens", now.awake_ms - 1)
    limited = now >> sign("w", "rest", Phase.RATE_LIMITED) >> used("w", 6)
    assert limited.node("w").phase is Phase.WORKING
    waiting = now >> sign("w", "turn-end", Phase.WAITING) >> used("w", 6)
    assert (waiting.node("w").phase, waiting.node("w").last_sign) == (Phase.WAITING, "turn-end")
