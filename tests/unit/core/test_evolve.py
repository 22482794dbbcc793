from typing import get_args

import pytest
from msgspec.structs import replace

from subsessiond.core.evolve import FOLDS, evolve
from subsessiond.core.invariants import check_tree
from subsessiond.core.lifecycle import InvariantViolationError
from subsessiond.model.events import (
    AnyEvent,
    CancelRequested,
    MessageStaged,
    NodeReleased,
    NodeStarted,
    SilenceMarked,
    TreeForgotten,
)
from subsessiond.model.message import Message, Source
from subsessiond.model.tree import Tree
from tests.support.moves import close, finding, open_root, spawn
from tests.support.playbook import id_of, play
from tests.support.world import at_work, gone, started


def test_every_event_is_remembered() -> None:
    """No event of the vocabulary is without its fold."""
    assert set(FOLDS) == set(get_args(AnyEvent))


def test_a_durable_event_sets_the_trees_number_and_its_nodes() -> None:
    """Telemetry leaves both as they are."""
    now = at_work(play(), "w")
    told = evolve(now.tree, CancelRequested(node=now.id("w"), at_ms=1, seq=99))
    assert (told.seq, told.nodes[now.id("w")].seq) == (99, 99)
    marked = evolve(now.tree, SilenceMarked(node=now.id("w"), at_ms=1))
    assert marked.seq == now.tree.seq
    assert marked.nodes[now.id("w")].seq == now.node("w").seq


def test_an_event_of_nobody_is_a_bug() -> None:
    """It names whom it speaks of."""
    with pytest.raises(InvariantViolationError, match=id_of(7)):
        evolve(Tree(), CancelRequested(node=id_of(7), at_ms=1))


def test_an_event_out_of_order_is_a_bug() -> None:
    """What runs is not released, and what runs does not start."""
    now = at_work(play(), "w")
    for event in (NodeReleased(node=now.id("w"), at_ms=1), NodeStarted(node=now.id("w"), at_ms=1)):
        with pytest.raises(InvariantViolationError, match="cannot happen"):
            evolve(now.tree, event)


def test_a_message_without_a_cause_counts_at_nobody() -> None:
    """It only lies in its mailbox, stamped with the event's number and time."""
    now = at_work(play(), "w")
    message = Message(
        message_id=play().id("x") + ".1",  # type: ignore[arg-type]
        recipient=now.id("root"),
        sender=None,
        source=Source.NOTICE,
        text="x",
    )
    tree = evolve(now.tree, MessageStaged(node=now.id("root"), at_ms=8, seq=50, message=message))
    assert tree.nodes == now.tree.nodes
    assert tree.mail[now.id("root")] == (replace(message, seq=50, at_ms=8),)


def test_a_forgotten_tree_leaves_nothing_behind() -> None:
    """Nodes, mail, keys and pace of a closed root go; another root's stay."""
    now = at_work(play()) >> spawn("w", key="k") >> started("w") >> finding("w")
    now = now >> close() >> gone("w") >> open_root("other") >> spawn("v", under="other", key="k")
    tree = evolve(now.tree, TreeForgotten(node=now.id("root"), at_ms=1))
    check_tree(tree)
    assert set(tree.nodes) == {now.id("other"), now.id("v")}
    assert set(tree.keys) == {(now.id("other"), "k")}
    assert set(tree.roots) == set(tree.pace) == set(tree.spawned_in) == {now.id("other")}
    assert not tree.mail
