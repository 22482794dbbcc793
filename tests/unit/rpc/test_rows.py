"""`rpc.rows`."""

import msgspec
from msgspec.structs import replace

from subsessiond.rpc.rows import KEPT_MOST, VIEW_MOST_BYTES, Rows
from tests.support.moves import final, spawn
from tests.support.playbook import play
from tests.support.trees import a_node, a_tree, node_id
from tests.support.world import at_work, ended, started


def test_a_row_is_written_once_for_one_node() -> None:
    """An unchanged node gives the very same bytes; a changed one is written anew."""
    rows, node, tree = Rows(), a_node(2), a_tree([])
    first = rows.whole(tree, node)
    assert rows.whole(tree, node) is first
    changed = rows.whole(tree, replace(node, title="other"))
    assert msgspec.json.decode(changed)["title"] == "other"


def test_a_row_is_written_anew_when_its_node_left_mail() -> None:
    """That stands beside the node and not in it, and goes when somebody read it."""
    rows = Rows()
    now = at_work(play(), "lead", role="lead") >> spawn("w", under="lead") >> started("w")
    now = now >> final("w") >> ended("lead")
    node = now.node("lead")
    assert msgspec.json.decode(rows.whole(now.tree, node))["unread"] == 1
    empty = replace(now.tree, mail=now.tree.mail.delete(node.node_id))
    assert "unread" not in msgspec.json.decode(rows.whole(empty, node))


def test_both_sizes_are_kept_apart() -> None:
    """The operator's row never becomes a parent's."""
    rows, node = Rows(), a_node(2)
    assert "rootId" in msgspec.json.decode(rows.whole(a_tree([]), node))
    assert "rootId" not in msgspec.json.decode(rows.short(node))


def test_what_is_kept_is_bounded() -> None:
    """More nodes than are kept do not fill the memory, and their rows are right all the same."""
    rows = Rows()
    tree = a_tree(a_node(n) for n in range(2, KEPT_MOST + 4))
    page = rows.page(tree, sorted(tree.nodes), whole=True)
    assert len(page) == len(tree.nodes)
    assert rows.kept <= KEPT_MOST


def test_nodes_that_are_gone_have_no_row() -> None:
    """Ids of nodes that left the tree are passed over."""
    tree = a_tree([a_node(2)])
    assert len(Rows().page(tree, (node_id(2), node_id(9)), whole=False)) == 1


def test_a_view_is_written_once_for_what_it_shows() -> None:
    """A new child, mail or another record give another view; nothing else does."""
    rows = Rows()
    now = at_work(play(), "lead", role="lead")
    lead = now.node("lead")
    first = rows.view(now.tree, lead)
    assert rows.view(now.tree, lead) is first
    hired = now >> spawn("w", under="lead") >> started("w")
    told = msgspec.json.decode(rows.view(hired.tree, hired.node("lead")))
    assert told["children"] == [hired.node("w").node_id]
    reported = hired >> final("w")
    assert msgspec.json.decode(rows.view(reported.tree, reported.node("lead")))["unread"] == 1


def test_large_views_are_not_kept() -> None:
    """A brief may hold megabytes; it is written each time that somebody looks."""
    rows, node = Rows(), a_node(2, title="t" * VIEW_MOST_BYTES)
    rows.view(a_tree([node]), node)
    assert rows.kept == 0
