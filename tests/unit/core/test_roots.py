"""`core.roots`: roots that nobody needs any more."""

from subsessiond.model.events import NodeSettled, TreeForgotten
from tests.support.moves import close, open_root, spawn
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
