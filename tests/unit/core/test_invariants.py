from typing import Any

import pytest
from immutables import Map
from msgspec.structs import replace

from subsessiond.core.indexes import put
from subsessiond.core.invariants import check_tree, violations
from subsessiond.core.lifecycle import InvariantViolationError
from subsessiond.model.node import Status
from subsessiond.model.tree import Tree
from subsessiond.model.usage import Below
from tests.support.moves import final, finding, spawn, succeed
from tests.support.playbook import Play, play
from tests.support.world import at_work, gone, started, used


def grown() -> Play:
    """Make a sound tree: a lead with a live child, a settled one with an heir, and mail."""
    now = at_work(play(), "a", role="lead", owns="src")
    now = now >> spawn("b", under="a", owns="src/b") >> started("b") >> finding("b")
    return now >> spawn("c", under="a") >> started("c") >> final("c") >> gone("c")


def broken(now: Play, label: str, **changes: Any) -> Tree:
    """Set a node as no event could."""
    node = replace(now.node(label), **changes)
    return replace(now.tree, nodes=now.tree.nodes.set(node.node_id, node))


def test_a_sound_tree_has_no_violation() -> None:
    """Nor has the empty one."""
    check_tree(Tree())
    check_tree((grown() >> succeed("d", "c", by="a")).tree)


@pytest.mark.parametrize(
    "counts", ["live_below", "live_in", "live_total", "live", "lent", "spawned_in", "writers"]
)
def test_a_wrong_count_is_found(counts: str) -> None:
    """INV-1: each of them is what counting gives."""
    now = grown()
    wrong: Any = 7 if counts == "live_total" else Map()
    with pytest.raises(InvariantViolationError, match="INV-1"):
        check_tree(replace(now.tree, **{counts: wrong}))


def test_a_claim_that_is_held_by_nobody_is_found() -> None:
    """INV-8: and one that is missing."""
    with pytest.raises(InvariantViolationError, match="INV-8"):
        check_tree(replace(grown().tree, claims=Map()))


def test_what_is_not_in_its_place_is_found() -> None:
    """INV-2 and INV-3: life, depth and the list of children."""
    now = grown()
    settled = now >> final("a", end_children=True)
    alive = put(settled.tree, now.node("b"))
    assert any("INV-2" in problem for problem in violations(alive))
    deep = broken(now, "b", depth=2)
    assert any("INV-3" in problem for problem in violations(deep))
    lost = replace(now.tree, children=Map())
    assert any("INV-3" in problem for problem in violations(lost))


def test_a_cap_that_is_lent_twice_is_found() -> None:
    """INV-4: what is lent fits beside the reserve."""
    assert any("INV-4" in problem for problem in violations(broken(grown(), "a", token_cap=1)))


@pytest.mark.parametrize(
    ("label", "changes", "name"),
    [
        ("b", {"settled_at_ms": 1}, "INV-5"),
        ("c", {"settlement": None}, "INV-5"),
        ("c", {"released_at_ms": None}, "INV-6"),
        ("b", {"leftovers": ("pid 7",)}, "INV-7"),
        ("b", {"successor": "x"}, "INV-9"),
        ("root", {"settled_at_ms": 1}, "INV-5"),
    ],
)
def test_a_record_that_contradicts_itself_is_found(
    label: str, changes: dict[str, Any], name: str
) -> None:
    """INV-5 to INV-7 and INV-9, for roots as for children."""
    assert any(name in problem for problem in violations(broken(grown(), label, **changes)))


def test_a_line_that_is_told_differently_at_its_ends_is_found() -> None:
    """INV-9: the heir continues whoever says so, and nobody else."""
    now = grown()
    strange = broken(now, "c", successor=now.id("b"))
    assert any("does not continue" in problem for problem in violations(strange))
    living = broken(now, "b", successor=now.id("c"))
    assert any("lives and has" in problem for problem in violations(living))


@pytest.mark.parametrize("fault", ["twice", "stranger", "wrong", "empty"])
def test_mail_out_of_place_is_found(fault: str) -> None:
    """INV-10: each message lies once, with the one it is for, who is there."""
    now = grown()
    box, reader = now.mail("a"), now.id("a")
    boxes = {
        "twice": now.tree.mail.set(reader, box + box),
        "stranger": Map({now.id("nobody"): box}),
        "wrong": Map({now.id("root"): box}),
        "empty": now.tree.mail.set(now.id("root"), ()),
    }
    found = list(violations(replace(now.tree, mail=boxes[fault])))
    assert any("INV-10" in problem for problem in found)


def test_figures_that_nobody_below_has_told_are_found() -> None:
    """INV-11: sums are of the nodes below, each once, and so is their number."""
    now = grown() >> used("b", 5, 2)
    check_tree(now.tree)
    for label, below in (
        ("a", Below()),
        ("root", replace(now.node("a").below, started=1)),
        ("b", now.node("a").below),
    ):
        found = list(violations(broken(now, label, below=below)))
        assert any("INV-11" in problem for problem in found), label


def test_a_released_node_holds_no_claim() -> None:
    """The status alone decides."""
    assert grown().node("c").status is Status.RELEASED
