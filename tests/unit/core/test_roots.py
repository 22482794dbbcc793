"""`core.roots`: roots that nobody needs any more."""

from subsessiond.core.roots import idle_roots
from subsessiond.model.events import NodeSettled, SignSeen, TreeForgotten
from tests.support.moves import acknowledge, close, final, open_root, resume, spawn
from tests.support.playbook import Play, later, nothing, play, said
from tests.support.world import gone, started, sweep

WEEK_MS = 7 * 24 * 3_600_000
KEPT_MS = 600_000


def closed_root() -> Play:
    """A root that was closed with a child below it."""
    now = play() >> open_root() >> spawn("w", owns="src") >> started("w")
    return now >> close() >> gone("w")


def test_a_root_nobody_came_back_to_is_closed_after_a_week() -> None:
    """Seven days without a child, mail or a bridge close a root; one minute less does not."""
    now = play() >> open_root()
    _ = now >> later(WEEK_MS - 60_000) >> sweep() << nothing
    _ = now >> later(WEEK_MS + 1) >> sweep() << said(NodeSettled, settlement__reason="closed")


def test_a_root_with_a_live_child_is_kept() -> None:
    """A root with something live below it is never idle."""
    now = play() >> open_root() >> spawn("w") >> started("w")
    now = now >> later(0, wall_ms=WEEK_MS + 1) >> sweep()
    assert not any(isinstance(event, NodeSettled) for event in now.events)


def test_a_root_with_unread_mail_is_kept_until_it_is_read() -> None:
    """What a child has said waits for whoever comes back, however late."""
    now = play() >> open_root() >> spawn("w") >> started("w") >> final("w") >> gone("w")
    (message,) = now.tree.mail[now.id("root")]
    now = now >> later(2 * WEEK_MS) >> sweep() << nothing
    now = now >> acknowledge("root", message.message_id) >> later(1) >> sweep()
    assert any(isinstance(event, NodeSettled) for event in now.events)


def test_a_root_somebody_came_back_to_begins_its_week_anew() -> None:
    """Coming back is a sign that it is needed."""
    now = play() >> open_root() >> later(WEEK_MS - 1) >> resume("root") >> later(WEEK_MS - 1)
    _ = now >> sweep() << nothing
    _ = now >> later(2) >> sweep() << said(NodeSettled, settlement__reason="closed")


def test_a_root_whose_agent_still_runs_is_not_detached() -> None:
    """An editor that is open for months keeps its root; the week begins when it is seen last."""
    now = play() >> open_root() >> later(WEEK_MS + 1)
    idle = idle_roots(now.tree, now.policy, now.at_ms)
    assert [root.node_id for root in idle] == [now.id("root")]
    now = now >> sweep("root") << said(SignSeen, sign="agent")
    assert idle_roots(now.tree, now.policy, now.at_ms) == ()
    now = now >> later(WEEK_MS - 60_000) >> sweep() << nothing
    _ = now >> later(60_001) >> sweep() << said(NodeSettled, settlement__reason="closed")


def test_a_closed_root_is_forgotten_after_a_while() -> None:
    """Ten minutes after its release a root and all below it leave memory, and nothing else does."""
    now = closed_root()
    _ = now >> later(KEPT_MS - 1_000) >> sweep() << nothing
    now = now >> open_root("other") >> later(KEPT_MS + 1) >> sweep() << TreeForgotten
    assert set(now.tree.nodes) == {now.id("other")}
    assert set(now.tree.roots) == {now.id("other")}
    assert not now.tree.children
    assert not now.tree.spawned_in
    assert not now.tree.pace
    assert not now.tree.mail
