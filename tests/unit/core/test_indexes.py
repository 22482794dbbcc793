from immutables import Map
from msgspec.structs import replace

from subsessiond.core.indexes import claims_in, patterns_of, restore
from subsessiond.core.scope import ClaimIndex
from subsessiond.model.tree import Tree
from subsessiond.model.usage import Below
from tests.support.moves import blocked, cancel, final, open_root, spawn, succeed
from tests.support.playbook import Play, play
from tests.support.world import at_work, gone, started, used


def busy() -> Play:
    """Make a tree with nodes in every state of life."""
    now = play() >> open_root() >> open_root("other")
    now = now >> spawn("a", role="lead", owns="src") >> started("a")
    now = now >> spawn("b", under="a", owns="src/b") >> started("b") >> final("b")
    now = now >> spawn("c", under="a", owns="src/c") >> started("c") >> blocked("c") >> gone("c")
    now = now >> succeed("d", "c", by="a") >> spawn("e", under="other", owns="docs")
    now = now >> used("b", 5, 2) >> used("a", 7, 1)
    return now >> spawn("f") >> started("f") >> cancel("f") >> gone("f")


def test_what_is_derived_is_rebuilt_from_the_nodes() -> None:
    """Added in order of their ids, they give every count and index again, but not the pace."""
    now = busy()
    tree = Tree()
    for name in sorted(now.tree.nodes):
        tree = restore(tree, now.tree.nodes[name])
    for field in Tree.__struct_fields__:
        if field not in ("seq", "mail", "keys", "pace"):
            assert getattr(tree, field) == getattr(now.tree, field), field
    assert tree.pace == Map()


def test_what_is_measured_below_is_counted_anew_when_it_is_read_back() -> None:
    """What was written of an ancestor may know more than was written of the nodes below it."""
    now = busy()
    stale = {name: replace(now.tree.nodes[name], below=Below(started=9)) for name in now.tree.nodes}
    tree = Tree()
    for name in sorted(stale):
        tree = restore(tree, stale[name])
    assert tree.nodes == now.tree.nodes


def test_a_workspace_without_claims_has_no_index() -> None:
    """A daemon that runs for long does not collect empty ones."""
    now = at_work(play(), "w", owns="a")
    assert claims_in(now.tree, "/project") != ClaimIndex()
    now = now >> final("w") >> gone("w")
    assert now.tree.claims == Map()
    assert claims_in(now.tree, "/project") == ClaimIndex()


def test_counts_that_fall_to_zero_are_forgotten() -> None:
    """An empty tree looks like one where nothing ever lived."""
    tree = (at_work(play(), "w", owns="a") >> final("w") >> gone("w")).tree
    empty = (tree.live, tree.live_below, tree.live_in, tree.lent, tree.writers)
    assert all(counts == Map() for counts in empty)
    assert tree.live_total == 0


def test_children_are_listed_oldest_first() -> None:
    """Also those that have settled."""
    now = busy()
    labels = [now.label(child) for child in now.tree.children[now.id("a")]]
    assert labels == ["b", "c", "d"]


def test_patterns_are_read_back_as_they_were_admitted() -> None:
    """Admission made sure that they are in their normal form."""
    assert [pattern.text for pattern in patterns_of(("a", "b/**"))] == ["a", "b/**"]
