"""`rpc.changes`."""

from typing import Any

from msgspec.structs import replace

from subsessiond.model.events import AnyEvent, MessagesMoved, NodeAdmitted, NodeStarted, SignSeen
from subsessiond.model.ids import message_id
from subsessiond.model.message import MessageState
from subsessiond.model.report import Outcome
from subsessiond.model.tree import Tree
from subsessiond.rpc.changes import Changes
from tests.support.trees import AT_MS, a_node, a_settlement, a_tree, node_id


def started(number: int, seq: int) -> AnyEvent:
    """Make an event about a node."""
    return NodeStarted(node=node_id(number), at_ms=AT_MS, seq=seq)


def seen(number: int) -> AnyEvent:
    """Make telemetry about a node."""
    return SignSeen(node=node_id(number), at_ms=AT_MS, sign="tool")


def tree_at(seq: int, *more: Any) -> Tree:
    """Make a tree of four nodes at a number."""
    return a_tree([a_node(1, None), a_node(2), a_node(3), a_node(4), *more], seq=seq)


def test_changes_after_a_number_are_listed_once_a_node() -> None:
    """A node that changed twice is listed once, by its last change, oldest first."""
    changes = Changes(tree_at(10))
    changes.on_events((started(2, 11), started(3, 12), started(2, 13)), tree_at(13))
    assert changes.since(10) == ((12, node_id(3)), (13, node_id(2)))
    assert changes.since(12) == ((13, node_id(2)),)
    assert changes.since(13) == ()


def test_a_number_from_before_the_start_is_not_known() -> None:
    """What changed before the daemon started is not known, nor what another life has counted."""
    tree = tree_at(10)
    changes = Changes(tree)
    assert changes.knows(10, tree)
    assert not changes.knows(9, tree)
    assert not changes.knows(11, tree)


def test_a_reader_too_far_behind_is_not_known() -> None:
    """When more nodes changed than are remembered, a cursor from before them is too old."""
    changes = Changes(tree_at(10), most=2)
    tree = tree_at(13)
    changes.on_events((started(2, 11), started(3, 12), started(4, 13)), tree)
    assert not changes.knows(10, tree)
    assert changes.knows(11, tree)
    assert changes.since(11) == ((12, node_id(3)), (13, node_id(4)))


def test_telemetry_is_told_without_a_number() -> None:
    """Signs are listed newest first from the number at which they were seen, and move none."""
    changes = Changes(tree_at(10))
    changes.on_events((seen(2),), tree_at(10))
    changes.on_events((started(3, 11),), tree_at(11))
    changes.on_events((seen(4), seen(3)), tree_at(11))
    assert list(changes.signs_since(11)) == [node_id(3), node_id(4)]
    assert list(changes.signs_since(10)) == [node_id(3), node_id(4), node_id(2)]
    assert changes.since(10) == ((11, node_id(3)),)


def test_ids_stay_in_order() -> None:
    """New nodes are put in their place, even when a clock went backwards."""
    changes = Changes(a_tree([a_node(1, None), a_node(4)], seq=1))
    tree = tree_at(3)
    for seq, number in ((2, 3), (3, 2)):
        record = tree.nodes[node_id(number)]
        changes.on_events(
            (NodeAdmitted(node=node_id(number), record=record, at_ms=AT_MS, seq=seq),), tree
        )
    assert changes.ids == [node_id(n) for n in (1, 2, 3, 4)]


def test_the_queue_follows_the_tree() -> None:
    """A node enters the queue with its blocked final and leaves it when somebody saw to it."""
    blocked = a_node(5, settlement=a_settlement(Outcome.BLOCKED))
    changes = Changes(tree_at(10, blocked))
    assert changes.queued == (node_id(5),)
    changes.on_events((started(5, 11),), tree_at(11, replace(blocked, dismissed=True)))
    assert not changes.queued


def test_the_last_state_of_a_moved_message_is_known() -> None:
    """A message that left its mailbox is remembered with how it left."""
    changes = Changes(tree_at(10))
    one = message_id(node_id(2), 1)
    changes.handed.add(one)
    moved = MessagesMoved(
        node=node_id(1), message_ids=(one,), state=MessageState.SUPERSEDED, at_ms=AT_MS, seq=11
    )
    changes.on_events((moved,), tree_at(11))
    assert changes.moved(one) is MessageState.SUPERSEDED
    assert changes.moved(message_id(node_id(2), 2)) is None
    assert not changes.handed
