import pytest

from subsessiond.model.effects import StopChild
from subsessiond.model.events import NodeSettled, SilenceMarked
from subsessiond.model.node import Phase
from subsessiond.model.report import Outcome
from tests.support.moves import (
    checkpoint,
    final,
    finding,
    release,
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
    sweep,
    turn_ended,
)

SILENCE_MS = 600_000
TOOL_MS = 1_800_000


def reason(now: Play, label: str) -> str | None:
    """Give the reason a node has settled for; none while it lives."""
    settlement = now.node(label).settlement
    return settlement.reason if settlement else None


@pytest.mark.scenario("S30")
def test_only_listed_signs_of_life_count() -> None:
    """S30: an open call has a longer limit, silence is found on time, an exit settles at once."""
    now = at_work(play(), "tool", "idle", "gone")
    now = now >> sign("tool", "tool-start", Phase.IN_TOOL) >> later(360_000) >> ended("gone")
    assert reason(now, "gone") == "exit-status"
    now = now >> later(240_001) >> sweep() >> sweep()
    assert (reason(now, "tool"), reason(now, "idle")) == (None, "retired-silent")
    now = now >> later(TOOL_MS - SILENCE_MS + 1) >> sweep() >> sweep()
    assert reason(now, "tool") == "retired-silent"


@pytest.mark.scenario("S30")
def test_a_retirement_names_the_last_sign_and_its_age() -> None:
    """S30: and frees slot and claims of all that is below."""
    now = at_work(play(), "a", role="lead", owns="src") >> finding("a")
    now = now >> spawn("b", under="a", owns="src/x") >> started("b") >> later(700_000)
    now = now >> sign("b") >> sweep() >> sweep()
    now = now << said(NodeSettled, "a", settlement__outcome=Outcome.FAILED)
    now = now << said(NodeSettled, "b", settlement__outcome=Outcome.ORPHANED)
    now = now << said(StopChild, "a", after_ms=0)
    settlement = now.node("a").settlement
    assert settlement is not None
    assert settlement.output == "retired-silent: its last sign of life was report, 700 s ago"
    assert settlement.diagnostic == settlement.output
    assert now.tree.live_total == 0


def test_silence_up_to_the_limit_is_allowed() -> None:
    """The limit itself is not beyond it."""
    now = at_work(play(), "w")
    silent_since = now.node("w").sign_awake_ms
    now = now >> later(silent_since + SILENCE_MS - now.awake_ms)
    _ = now >> sweep() << nothing >> sweep() << SilenceMarked


def test_retirement_takes_two_steps() -> None:
    """Whoever is marked and then speaks is not retired."""
    now = at_work(play(), "w") >> later(700_000) >> sweep() << said(SilenceMarked, "w")
    _ = now >> sweep() << said(NodeSettled, "w")
    for word in (finding("w"), checkpoint("w"), sign("w")):
        _ = now >> word >> sweep() << nothing


def test_at_succession_both_steps_are_one() -> None:
    """The caller has drained what waited, so the mark is not needed."""
    _ = at_work(play(), "w") >> later(700_000) >> sweep(at_once=True) << said(NodeSettled, "w")


def test_sweeping_again_changes_nothing() -> None:
    """A sweep is idempotent."""
    now = at_work(play(), "w") >> later(700_000) >> sweep() >> sweep()
    _ = now >> sweep() << nothing >> sweep(at_once=True) << nothing


@pytest.mark.parametrize("wall_ms", [-(10**12), 0, 10**12])
def test_only_awake_time_is_charged(wall_ms: int) -> None:
    """Whatever the wall clock does, a laptop that slept was nobody's silence."""
    _ = at_work(play(), "w") >> later(0, wall_ms=wall_ms) >> sweep(at_once=True) << nothing


@pytest.mark.scenario("S31")
def test_a_starting_child_is_on_the_start_clock() -> None:
    """S31: silence counts from the claim stamp, and a start fails once, by its own limit."""
    now = at_work(play(start_timeout_ms=800_000)) >> spawn("w")
    now = now >> later(700_000) >> sweep(at_once=True) << nothing
    now = now >> later(100_001) >> sweep()
    now = now << said(NodeSettled, "w", settlement__reason="start-timeout")
    _ = now >> started("w") << nothing >> sweep() << nothing
    assert "its admission" in (now.node("w").settlement or now).output  # type: ignore[union-attr]


def test_a_deadline_counts_whatever_the_child_does() -> None:
    """It is measured from the admission, in awake time, whether the child works or waits."""
    now = at_work(play(), "w", deadline_ms=10_000) >> sign("w", "tool", Phase.IN_TOOL)
    claimed = now.node("w").claimed_awake_ms
    now = now >> later(claimed + 10_000 - now.awake_ms) >> sweep() << nothing
    _ = now >> sweep() << said(NodeSettled, "w", settlement__reason="deadline")


def test_a_waiting_parents_clock_stands_still() -> None:
    """As long as a child lives or mail waits; with neither the clock runs."""
    now = at_work(play(), "a", role="lead") >> spawn("b", under="a") >> started("b")
    now = now >> turn_ended("a") >> later(3_600_000) >> sign("b") >> sweep(at_once=True) << nothing
    now = now >> final("b") >> sweep(at_once=True) << nothing
    now = now >> delivered("a") >> sweep(at_once=True) << nothing
    _ = now >> later(700_000) >> sweep(at_once=True) << said(NodeSettled, "a")


def test_a_wait_for_nothing_is_silence() -> None:
    """A runner that calls a child waiting though nothing will come does not make it immortal."""
    now = at_work(play(), "w") >> sign("w", "turn-end", Phase.WAITING) >> later(700_000)
    _ = now >> sweep(at_once=True) << said(NodeSettled, "w")


def test_a_pending_steer_is_something_to_wait_for() -> None:
    """It comes with the next turn."""
    now = at_work(play(), "w") >> steer("w") >> turn_ended("w") >> later(700_000)
    _ = now >> sweep(at_once=True) << nothing


def test_a_rate_limited_child_counts_as_alive() -> None:
    """It is the provider that is silent."""
    now = at_work(play(), "w") >> sign("w", "rate-limit", Phase.RATE_LIMITED) >> later(7_200_000)
    _ = now >> sweep(at_once=True) << nothing


def test_a_successor_that_waits_for_a_release_is_not_slow_to_start() -> None:
    """Its start clock begins when its predecessor is gone."""
    now = at_work(play(), "w") >> final("w") >> gone("w", "pid 7") >> succeed("heir", "w")
    now = now >> later(3_600_000) >> sweep(at_once=True) << nothing
    now = now >> release("w") >> later(59_000) >> sweep() << nothing
    _ = now >> later(1_000) >> sweep() << said(NodeSettled, "heir")


def test_roots_are_never_silent() -> None:
    """A person may think for as long as she likes while something waits for her."""
    now = at_work(play(), "w") >> final("w") >> gone("w")
    _ = now >> later(6 * 24 * 3_600_000) >> sweep(at_once=True) << nothing
