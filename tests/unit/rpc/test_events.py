"""`rpc.events`."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from subsessiond.model.checkpoint import Checkpoint
from subsessiond.model.events import (
    AnyEvent,
    CheckpointSaved,
    MessageStaged,
    NodeAdmitted,
    NodeSettled,
    NodeStarted,
    SignSeen,
    UsageSeen,
)
from subsessiond.model.ids import NodeId, message_id
from subsessiond.model.ledger import Part, Why
from subsessiond.model.message import Message, Source
from subsessiond.model.node import Node, Phase, Status
from subsessiond.model.tree import Tree
from subsessiond.model.usage import Usage
from subsessiond.rpc.events import REMEMBERED, Feed
from subsessiond.rpc.rows import Rows
from tests.support.trees import AT_MS, a_node, a_settlement, a_tree, node_id


class Listener:
    """A reader that keeps what it is told."""

    def __init__(self) -> None:
        self.notes: list[dict[str, Any]] = []
        self.closing: list[Callable[[], None]] = []

    def notify(self, method: str, params: Any) -> None:
        """Keep a note."""
        assert method == "events.event"
        self.notes.append(msgspec.json.decode(msgspec.json.encode(params)))

    def on_close(self, callback: Callable[[], None]) -> None:
        """Keep what to call."""
        self.closing.append(callback)

    @property
    def told(self) -> list[tuple[int, str, str]]:
        """Number, type and node of each note."""
        return [(note["seq"], note["type"], note["node"]) for note in self.notes]


def tree_at(seq: int, *nodes: Node) -> Tree:
    """Make a tree: a root, two children of it and a grandchild."""
    known = {1: a_node(1, None), 2: a_node(2), 3: a_node(3), 4: a_node(4, 2)}
    return a_tree([*known.values(), *nodes], seq=seq)


def started(number: int, seq: int) -> AnyEvent:
    """Make a step of a node's life."""
    return NodeStarted(node=node_id(number), at_ms=AT_MS, seq=seq)


def sign(number: int, awake_ms: int) -> AnyEvent:
    """Make a sign of life."""
    return SignSeen(node=node_id(number), at_ms=AT_MS, awake_ms=awake_ms, sign="tool")


def a_feed(seq: int = 10) -> Feed:
    """Make a feed at a number."""
    return Feed(tree_at(seq), Rows())


def test_the_operator_hears_everything_with_whole_rows() -> None:
    """Each event is told with its name, its number and the row as it is now."""
    feed, reader = a_feed(), Listener()
    assert not feed.subscribe(reader, None, None)
    feed.on_events((started(2, 11), started(4, 12)), tree_at(12))
    assert reader.told == [(11, "node.started", node_id(2)), (12, "node.started", node_id(4))]
    assert reader.notes[0]["row"]["rootId"] == node_id(1)


def test_a_node_hears_of_its_own_children_alone() -> None:
    """A parent hears of its children in rows of a parent's size, of nobody else."""
    feed, reader = a_feed(), Listener()
    feed.subscribe(reader, node_id(1), None)
    feed.on_events((started(2, 11), started(4, 12), started(1, 13)), tree_at(13))
    assert reader.told == [(11, "node.started", node_id(2))]
    assert "rootId" not in reader.notes[0]["row"]


def test_what_a_parent_is_told_is_counted() -> None:
    """Each note by its bytes, of the child it is about; the operator's are not."""
    counted: list[tuple[NodeId, int, Sequence[Part]]] = []
    feed = Feed(tree_at(10), Rows(), lambda *told: counted.append(told))
    reader = Listener()
    feed.subscribe(reader, node_id(1), None)
    feed.subscribe(Listener(), None, None)
    feed.on_events((started(2, 11), started(4, 12)), tree_at(12))
    (note,) = reader.notes
    size = len(msgspec.json.encode(note))
    part = Part(node=node_id(2), why=Why.ANSWER, size=size)
    assert counted == [(node_id(1), size, (part,))]


def test_mail_that_came_is_counted_of_no_child() -> None:
    """The note to its reader names the reader alone."""
    counted: list[Sequence[Part]] = []
    feed = Feed(tree_at(10), Rows(), lambda _reader, _size, parts: counted.append(parts))
    feed.subscribe(Listener(), node_id(1), None)
    message = Message(
        message_id=message_id(node_id(2), 1),
        recipient=node_id(1),
        sender=node_id(2),
        source=Source.REPORT,
        text="t",
    )
    feed.on_events((MessageStaged(node=node_id(1), message=message, at_ms=1, seq=11),), tree_at(11))
    assert [part.node for parts in counted for part in parts] == [None]


def test_what_a_child_does_is_not_told_to_its_parent() -> None:
    """Checkpoints and signs of life make no note to a parent, however many there are."""
    feed, reader = a_feed(), Listener()
    feed.subscribe(reader, node_id(1), None)
    mark = Checkpoint(phase="p", state="s", next_step="n")
    saved = [
        CheckpointSaved(node=node_id(2), checkpoint=mark, line=n, at_ms=AT_MS, seq=n)
        for n in range(11, 40)
    ]
    signs = [sign(2, n * 5_000) for n in range(30)]
    feed.on_events((*saved, *signs), tree_at(39))
    assert reader.notes == []


def test_tokens_are_told_once_a_second_of_a_node_and_of_each_above() -> None:
    """Ten children that measure at once make one note of their parent, not ten."""
    feed, reader = a_feed(), Listener()
    feed.subscribe(reader, None, None)

    def used(number: int, awake_ms: int) -> AnyEvent:
        usage = Usage(input=awake_ms)
        return UsageSeen(node=node_id(number), at_ms=AT_MS, awake_ms=awake_ms, usage=usage)

    feed.on_events((used(2, 5_000), used(3, 5_100), used(2, 5_200)), tree_at(10))
    seen, changed = "usage.seen", "node.changed"
    first = [(seen, node_id(2)), (changed, node_id(1)), (seen, node_id(3))]
    assert [(kind, node) for _, kind, node in reader.told] == first
    feed.on_events((used(3, 6_200),), tree_at(10))
    assert [(kind, node) for _, kind, node in reader.told[3:]] == [
        (seen, node_id(3)),
        (changed, node_id(1)),
    ]


def test_a_node_hears_that_mail_came_for_itself() -> None:
    """A message wakes its reader without its text; the text is for the inbox."""
    feed, reader = a_feed(), Listener()
    feed.subscribe(reader, node_id(1), None)
    message = Message(
        message_id=message_id(node_id(2), 1),
        recipient=node_id(1),
        sender=node_id(2),
        source=Source.REPORT,
        text="the words",
    )
    event = MessageStaged(
        node=node_id(1), message=message, caused_by=node_id(2), at_ms=AT_MS, seq=11
    )
    feed.on_events((event,), tree_at(11))
    assert reader.told == [(11, "message.staged", node_id(1))]
    assert "the words" not in str(reader.notes)
    assert "row" not in reader.notes[0]


def test_a_reader_goes_on_from_its_cursor() -> None:
    """What happened after the cursor is told again, in order, before what is new."""
    feed, reader = a_feed(), Listener()
    feed.on_events((started(2, 11), started(3, 12)), tree_at(12))
    assert not feed.subscribe(reader, None, 11)
    feed.on_events((started(4, 13),), tree_at(13))
    assert [seq for seq, _, _ in reader.told] == [12, 13]


def test_a_cursor_that_is_too_old_or_foreign_starts_over() -> None:
    """A cursor before what is remembered, or one never given here, has to read the tree anew."""
    feed = a_feed()
    assert feed.subscribe(Listener(), None, 9)
    assert feed.subscribe(Listener(), None, 11)
    many = tuple(started(2, seq) for seq in range(11, 12 + REMEMBERED))
    feed.on_events(many, tree_at(11 + REMEMBERED))
    assert feed.subscribe(Listener(), None, 10)
    assert not feed.subscribe(Listener(), None, 11)


def test_who_is_changed_by_another_is_told_too() -> None:
    """An admission is also a change of whom the new node continues."""
    feed, reader = a_feed(), Listener()
    feed.subscribe(reader, None, None)
    heir = a_node(5, predecessor=node_id(2))
    event = NodeAdmitted(node=node_id(5), record=heir, at_ms=AT_MS, seq=11)
    feed.on_events((event,), tree_at(11, heir))
    assert reader.told == [(11, "node.admitted", node_id(5)), (11, "node.changed", node_id(2))]


def test_signs_of_one_node_are_told_once_a_second() -> None:
    """Telemetry is thinned by node; a new phase is told at once; a settled node is silent."""
    feed, reader = a_feed(), Listener()
    feed.subscribe(reader, None, None)
    tree = tree_at(10)
    feed.on_events((sign(2, 0), sign(2, 999), sign(3, 999), sign(2, 1_000)), tree)
    assert [node for _, _, node in reader.told] == [node_id(n) for n in (2, 3, 2)]
    busy = tree_at(10, a_node(2, phase=Phase.IN_TOOL))
    feed.on_events((sign(2, 1_001),), busy)
    assert len(reader.notes) == 4
    gone = tree_at(10, a_node(2, status=Status.SETTLED, settlement=a_settlement()))
    feed.on_events((sign(2, 9_000),), gone)
    assert len(reader.notes) == 4


def test_telemetry_is_not_told_again() -> None:
    """A reader that comes back is not given old signs: they have no number."""
    feed, reader = a_feed(), Listener()
    feed.on_events((sign(2, 0),), tree_at(10))
    feed.subscribe(reader, None, 10)
    assert reader.notes == []


def test_a_reader_follows_once_and_is_forgotten_when_gone() -> None:
    """Subscribing twice does not double the notes; a closed connection is told nothing."""
    feed, reader = a_feed(), Listener()
    feed.subscribe(reader, None, None)
    feed.subscribe(reader, None, None)
    feed.on_events((started(2, 11),), tree_at(11))
    assert len(reader.notes) == 1
    (close,) = reader.closing
    close()
    settled = NodeSettled(node=node_id(2), settlement=a_settlement(), at_ms=AT_MS, seq=12)
    feed.on_events((settled,), tree_at(12))
    assert len(reader.notes) == 1
    assert feed.readers == 0
