from typing import Any

import pytest

from subsessiond.model.events import NodeAdmitted
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.report import Outcome
from subsessiond.model.role import Role
from tests.support.moves import blocked, cancel, final, open_root, spawn
from tests.support.playbook import Play, later, play
from tests.support.policies import READ_TOOLS, a_policy
from tests.support.rolefiles import accepted
from tests.support.world import at_work, ended, gone, not_started, started, sweep


def refusal(now: Play) -> Rejection:
    """Give the refusal for want of room that a play has come to."""
    now = now << Code.CONCURRENCY_EXCEEDED
    assert isinstance(now.reply, Rejection)
    return now.reply


def test_a_parent_has_so_many_live_children() -> None:
    """The refusal says which cap, how many live and the limit; another parent is not concerned."""
    now = at_work(play(live_per_parent=2), "a", "b", role="lead")
    full = refusal(now >> spawn("c"))
    assert (full.limit, full.actual, full.retryable) == (2, 2, True)
    assert "children of one parent" in full.detail
    _ = now >> spawn("c", under="a") << NodeAdmitted


def test_a_tree_has_so_many_live_nodes() -> None:
    """Grandchildren count, roots do not."""
    now = at_work(play(live_per_tree=2), "a", role="lead") >> spawn("b", under="a")
    assert "nodes of one tree" in refusal(now >> spawn("c", under="a")).detail
    _ = now >> open_root("other") >> spawn("c", under="other") << NodeAdmitted


def test_the_daemon_has_so_many_live_nodes() -> None:
    """The trees share one number."""
    now = play(live_total=1) >> open_root("one") >> open_root("two") >> spawn("a", under="one")
    assert "this daemon" in refusal(now >> spawn("b", under="two")).detail


def test_a_tree_has_so_many_admissions_ever() -> None:
    """Settling does not give one back, so the refusal says that waiting is no use."""
    now = at_work(play(spawns_per_tree=1), "a") >> final("a") >> gone("a")
    full = refusal(now >> spawn("b"))
    assert not full.retryable
    assert "no more are allowed" in full.detail


def test_a_role_has_so_many_live_nodes_in_one_tree() -> None:
    """Other roles, other trees, and those that settled do not count."""
    rare = Role(name="rare", tier="strong", tools=READ_TOOLS, max_live=1)
    now = at_work(play(a_policy(rare)), "a", role="rare") >> spawn("w")
    assert "this role" in refusal(now >> spawn("b", role="rare")).detail
    _ = now >> open_root("other") >> spawn("b", under="other", role="rare") << NodeAdmitted
    _ = now >> final("a") >> spawn("b", role="rare") << NodeAdmitted


def test_roles_of_a_workspace_share_the_limit_of_their_row() -> None:
    """Else a file there would let more of them live than the operator allows."""
    rare = Role(name="rare", tier="strong", tools=READ_TOOLS, max_live=2)
    one, two = (accepted(rare, name) for name in ("project/one", "project/two"))
    now = at_work(play(a_policy(rare)), "a", role="rare") >> spawn("b", project=one)
    assert "this role" in refusal(now >> spawn("c", project=two)).detail
    assert "this role" in refusal(now >> spawn("c", role="rare")).detail
    _ = now >> final("a") >> spawn("c", project=two) << NodeAdmitted


def test_a_workspace_has_so_many_live_writers() -> None:
    """One writer at a time, and as many readers as one likes."""
    now = at_work(play(live_writers=1), "w", owns="a")
    assert "writers" in refusal(now >> spawn("x", owns="b")).detail
    _ = now >> spawn("x") << NodeAdmitted
    _ = now >> final("w") >> spawn("x", owns="b") << NodeAdmitted


@pytest.mark.parametrize("other", ["/", "/project/pkg"])
def test_a_writer_above_or_below_is_a_writer_in_the_workspace(other: str) -> None:
    """Where folders hold one another, one at a time is one in all of them; beside is elsewhere."""
    now = at_work(play(live_writers=1), "w", owns="a")
    now = now >> open_root("other", workspace=other) >> open_root("far", workspace="/projects")
    assert "writers" in refusal(now >> spawn("x", under="other", owns="b")).detail
    _ = now >> spawn("x", under="far", owns="b") << NodeAdmitted


@pytest.mark.parametrize(
    "cap",
    [
        "live_per_parent",
        "live_per_tree",
        "live_total",
        "spawns_per_tree",
        "live_writers",
        "spawns_per_second",
        "spawn_burst",
    ],
)
def test_zero_means_zero(cap: str) -> None:
    """A cap of zero refuses the first, and says that no later call can succeed."""
    full = refusal(play(None, **{cap: 0}) >> open_root() >> spawn("x", owns="a"))
    assert not full.retryable


@pytest.mark.parametrize(
    "cap", ["live_per_parent", "live_per_tree", "live_total", "spawns_per_tree", "live_writers"]
)
def test_no_cap_is_no_cap(cap: str) -> None:
    """A cap that is spelled unlimited refuses nobody."""
    caps: dict[str, Any] = dict.fromkeys(("spawn_burst", "live_per_parent", "live_per_tree"), 100)
    now = play(None, **(caps | {cap: None}))
    now = now >> open_root(token_cap=50_000_000)
    for number in range(30):
        now = now >> spawn(f"w{number}", owns=f"f{number}")
    assert now.tree.live_total == 30


def test_admissions_keep_a_pace_after_a_burst() -> None:
    """Eight at once, then two a second; the refusal says how long to wait, and waiting helps."""
    now = play(live_per_parent=None) >> open_root()
    for number in range(8):
        now = now >> spawn(f"w{number}")
    full = refusal(now >> spawn("x"))
    assert full.retry_after_ms is not None
    assert (full.limit, full.retryable) == (2, True)
    _ = now >> later(full.retry_after_ms - 1) >> spawn("x") << Code.CONCURRENCY_EXCEEDED
    _ = now >> later(full.retry_after_ms + 1) >> spawn("x") << NodeAdmitted


def test_refusals_do_not_slow_the_pace_down() -> None:
    """Only admissions count, and each tree has a pace of its own."""
    now = play(live_per_parent=None) >> open_root() >> open_root("other")
    for number in range(8):
        now = now >> spawn(f"w{number}") >> spawn("x", role="none") << Code.ROLE_UNKNOWN
    _ = now >> spawn("x", under="other") << NodeAdmitted


@pytest.mark.scenario("S19")
def test_slots_are_free_after_every_kind_of_end() -> None:
    """S19: fifty rounds with seven ends, some doubled, and never a slot too few or too many."""
    now = play(live_per_parent=4, spawns_per_tree=None) >> open_root()
    ends = (
        (final,),
        (blocked,),
        (lambda label: final(label, outcome=Outcome.FAILED),),
        (cancel,),
        (ended,),
        (not_started,),
        (final, ended, cancel),
    )
    for turn in range(50):
        labels = [f"{turn}-{place}" for place in range(4)]
        for place, label in enumerate(labels):
            now = now >> later(1_000) >> spawn(label)
            if (turn + place) % 7 != 5:
                now = now >> started(label)
        assert now.tree.live_total == 4
        now = now >> later(1_000) >> spawn("fifth") << Code.CONCURRENCY_EXCEEDED
        for place, label in enumerate(labels):
            for end in ends[(turn + place) % 7]:
                now = now >> end(label)
                if isinstance(now.reply, Rejection):
                    now = now << Code.NODE_SETTLED
        assert now.tree.live_total == 0
        assert all(now.node(label).settlement is not None for label in labels)


@pytest.mark.scenario("S19")
def test_a_swept_node_gives_its_slot_back() -> None:
    """S19: retirement is an end like any other."""
    now = at_work(play(live_per_parent=1), "w") >> later(700_000) >> sweep() >> sweep()
    assert now.tree.live_total == 0
    _ = now >> spawn("x") << NodeAdmitted
