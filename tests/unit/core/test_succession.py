from subsessiond.core.succession import heir_parent_of
from subsessiond.model.rejection import Code, Rejection
from tests.support.moves import cancel, close, final, spawn, succeed
from tests.support.playbook import Play, later, play
from tests.support.world import at_work, ended, gone, started


def test_a_predecessor_has_one_successor() -> None:
    """The refusal names the winner; a settled winner counts too, and is succeeded itself."""
    now = at_work(play(), "w") >> final("w") >> gone("w") >> succeed("heir", "w")
    now = now >> started("heir") >> final("heir") >> gone("heir")
    refused = now >> succeed("x", "w") << Code.ALREADY_SUCCEEDED
    assert isinstance(refused.reply, Rejection)
    assert refused.reply.sibling == now.id("heir")
    now = now >> succeed("third", "heir")
    assert now.node("third").generation == 3


def test_a_mission_has_so_many_generations() -> None:
    """The sixth is refused, with limit and actual."""
    now = at_work(play(), "1")
    for number in range(1, 5):
        now = now >> later(1_000) >> final(str(number)) >> gone(str(number))
        now = now >> succeed(str(number + 1), str(number)) >> started(str(number + 1))
    now = now >> final("5") >> gone("5") >> succeed("6", "5") << Code.GENERATIONS_EXCEEDED
    assert isinstance(now.reply, Rejection)
    assert (now.reply.limit, now.reply.actual) == (5, 6)


def deep() -> Play:
    """Begin with a worker settled under a lead that settled under a lead."""
    now = at_work(play(), "a", role="lead")
    now = now >> spawn("b", under="a", role="lead", token_cap=500_000) >> started("b")
    return now >> spawn("w", under="b") >> started("w") >> final("w") >> gone("w")


def heir_parent(now: Play, label: str) -> str | None:
    """Name the node a successor would live under."""
    found = heir_parent_of(now.tree, now.node(label))
    return now.label(found.node_id) if found else None


def test_a_successor_lives_under_the_parent_while_that_lives() -> None:
    """Nothing moves as long as nothing ended."""
    assert heir_parent(deep(), "w") == "b"


def test_then_under_the_live_end_of_the_parents_line() -> None:
    """However long the line is."""
    now = deep() >> final("b") >> gone("b") >> succeed("b2", "b", by="a") >> started("b2")
    assert heir_parent(now, "w") == "b2"
    now = now >> final("b2") >> gone("b2") >> succeed("b3", "b2", by="a")
    assert heir_parent(now, "w") == "b3"


def test_then_under_the_nearest_live_one_above() -> None:
    """An orphan's work goes on where somebody still lives."""
    now = deep() >> ended("b")
    assert heir_parent(now, "w") == "a"
    assert heir_parent(now >> cancel("a"), "w") == "root"


def test_and_under_nobody_in_a_closed_tree() -> None:
    """A root has no parent, and a closed one no successor."""
    now = deep() >> cancel("a") >> gone("a") >> gone("b") >> close()
    assert not now.node("root").is_live
    assert heir_parent(now, "w") is None
    assert heir_parent(now, "root") is None
