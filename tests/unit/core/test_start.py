from subsessiond.core.lifecycle import START_FAILED
from subsessiond.model.brief import Grant
from subsessiond.model.decision import Admitted
from subsessiond.model.effects import StopChild
from subsessiond.model.events import NodeReleased, NodeSettled, NodeStarted, ProcessNoted
from subsessiond.model.message import Message, Source
from subsessiond.model.node import Phase, Status
from subsessiond.model.rejection import Code
from subsessiond.model.report import Outcome
from tests.support.moves import PERSON, blocked, final, spawn, succeed
from tests.support.playbook import nothing, play, said
from tests.support.world import IDENTITY, at_work, gone, not_started, noted, started


def test_a_claimed_node_runs_once_its_agent_is_up() -> None:
    """The start gives the stamp, the identity and the first phase."""
    now = at_work(play()) >> spawn("w") >> started("w", IDENTITY) << said(NodeStarted, "w")
    node = now.node("w")
    assert (node.status, node.phase, node.identity) == (Status.RUNNING, Phase.WORKING, IDENTITY)
    assert node.started_at_ms == now.at_ms - 1


def test_a_start_keeps_the_process_that_was_noted() -> None:
    """Confirming without an identity does not forget the one that was recorded."""
    now = at_work(play()) >> spawn("w") >> noted("w") << ProcessNoted >> started("w")
    assert now.node("w").identity == IDENTITY


def test_a_start_that_comes_too_late_changes_nothing() -> None:
    """One that has settled, runs already, or never was, does not start."""
    now = at_work(play(), "w")
    _ = now >> started("w") << nothing
    _ = now >> final("w") >> started("w") << nothing
    _ = now >> started("nobody") << nothing


def test_a_process_is_noted_until_the_node_is_released() -> None:
    """A settled node's process must still be found; a released one has none, nor has a root."""
    now = at_work(play(), "w") >> final("w") >> noted("w") << ProcessNoted
    _ = now >> gone("w") >> noted("w") << nothing
    _ = now >> noted("nobody") << nothing
    _ = now >> noted("root") << nothing


def test_a_start_that_surely_failed_leaves_nothing_behind() -> None:
    """Slot, tokens, claim and key are free in the same step, and the parent is told once."""
    now = (
        at_work(play())
        >> spawn("w", owns="a/*", key="k")
        >> not_started("w", "no such program")
        << said(NodeSettled, "w", settlement__reason=START_FAILED)
        << said(NodeReleased, "w")
        << said(Message, "root", source=Source.SETTLED)
        << said(StopChild, "w")
    )
    assert (now.tree.live_total, len(now.tree.claims), len(now.tree.keys)) == (0, 0, 0)
    _ = now >> spawn("again", owns="a/*", key="k") << said(Admitted, "again", claimed_at=now.at_ms)


def test_the_reason_of_a_failed_start_is_bounded() -> None:
    """A parent is shown 400 bytes of why, the operator up to 4,096."""
    said_why = (at_work(play()) >> spawn("w") >> not_started("w", "x" * 9_000)).node("w")
    assert said_why.settlement is not None
    assert len(said_why.settlement.output.encode()) == 400
    assert len((said_why.settlement.diagnostic or "").encode()) == 4_096


def test_what_an_agent_printed_before_it_failed_is_for_the_operator_alone() -> None:
    """A parent is told why in our words; the diagnostic may hold the agent's own."""
    step = not_started("w", "it spoke no protocol", diagnostic="it spoke no protocol: Hello!")
    now = at_work(play()) >> spawn("w") >> step
    settlement = now.node("w").settlement
    assert settlement is not None
    assert settlement.output == "it spoke no protocol"
    assert settlement.diagnostic == "it spoke no protocol: Hello!"
    assert "Hello" not in now.mail("root")[0].text


def test_a_start_that_may_have_happened_frees_nothing() -> None:
    """After a time-out the key still names the child, and the claim waits for its processes."""
    now = (
        at_work(play())
        >> spawn("w", owns="a/*", key="k")
        >> not_started("w", reason="start-timeout")
        >> spawn("again", owns="a/*", key="k")
        << said(Admitted, "w", state=Status.SETTLED)
    )
    _ = now >> spawn("other", owns="a/*") << Code.SCOPE_OVERLAP


def test_only_a_claimed_node_fails_to_start() -> None:
    """A running child's end is not a failed start."""
    now = at_work(play(), "w")
    _ = now >> not_started("w") << nothing
    _ = now >> not_started("nobody") << nothing


def test_a_failed_successor_gives_its_place_back() -> None:
    """The predecessor can be succeeded again, and the tokens granted to the failed one are gone."""
    now = at_work(play(), "w") >> blocked("w") >> gone("w")
    before = now.node("root").token_cap
    now = now >> succeed("heir", "w", by=PERSON, grant=Grant(tokens=5_000))
    assert now.node("root").token_cap == before + 5_000
    now = now >> not_started("heir")
    assert now.node("root").token_cap == before
    assert now.node("w").successor is None
    now = now >> succeed("next", "w")
    assert now.node("w").successor == now.id("next")
    settlement = now.node("w").settlement
    assert settlement is not None
    assert settlement.outcome is Outcome.BLOCKED
