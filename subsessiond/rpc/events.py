"""Events to readers: from a cursor, as they are published, each reader bounded by its connection.

The operator hears everything. A node hears the steps of its own children's lives and that mail came
for itself: a number of notes that does not grow with what a child does.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple, Protocol

import msgspec

from subsessiond.core.views.events import CHANGED, TO_PARENTS, event_name, touched
from subsessiond.model.events import AnyEvent, MessageStaged, SignSeen, UsageSeen
from subsessiond.model.ids import NodeId
from subsessiond.model.ledger import Part, Why
from subsessiond.model.tree import Tree
from subsessiond.rpc.rows import Rows

METHOD: Final = "events.event"

REMEMBERED: Final = 4_096
"""Notes a reader can be given again from its cursor; one further behind starts over."""

SIGN_INTERVAL_MS: Final = 1_000
"""Signs of life of one node are told once a second; a page shows no more."""


_encode = msgspec.json.Encoder().encode


class Reader(Protocol):
    """Where notifications go: bounded, never waits."""

    def notify(self, method: str, params: Any) -> None:
        """Queue one notification."""

    def on_close(self, callback: Callable[[], None]) -> None:
        """Call back when the reader is gone."""


class Note(NamedTuple):
    """One thing to tell: enough to write it for either kind of reader."""

    seq: int
    type: str
    node: NodeId
    at: int
    parent: NodeId | None
    """The only node that may hear of it besides the operator."""
    durable: bool


class Written(msgspec.Struct, frozen=True, omit_defaults=True):
    """`model.view.EventNote`, its row already written."""

    seq: int
    type: str
    node: NodeId
    at: int
    row: msgspec.Raw | None = None


Show = Callable[[NodeId, int, Sequence[Part]], None]


def _uncounted(_reader: NodeId, _size: int, _parts: Sequence[Part]) -> None:
    """Nobody counts."""


class Feed:
    """All readers of events."""

    def __init__(self, tree: Tree, rows: Rows, show: Show = _uncounted) -> None:
        self._tree = tree
        self._rows = rows
        self._show = show
        self._floor = tree.seq
        self._notes: deque[Note] = deque()
        self._readers: dict[Reader, NodeId | None] = {}
        self._told_ms: dict[NodeId, tuple[int, object]] = {}

    @property
    def readers(self) -> int:
        """How many follow."""
        return len(self._readers)

    def subscribe(self, reader: Reader, node_id: NodeId | None, after: int | None) -> bool:
        """Tell a reader what happened after its cursor, and from now on what happens.

        Args:
            reader: The connection. It follows once, however often it asks.
            node_id: Whose eyes it reads with; none = the operator's.
            after: The last number it knows; none = it knows nothing and asks for nothing old.

        Returns:
            Whether its cursor is too old or foreign: then it has to read the tree anew.
        """
        resync = after is not None and not self._floor <= after <= self._tree.seq
        if after is not None and not resync:
            for note in self._notes:
                if note.seq > after and _may_hear(note, node_id):
                    self._notify(reader, node_id, note, self._written(note, whole=node_id is None))
        if reader not in self._readers:
            reader.on_close(lambda: self._drop(reader))
        self._readers[reader] = node_id
        return resync

    def on_events(self, events: tuple[AnyEvent, ...], tree: Tree) -> None:
        """Tell all readers what has just been published."""
        self._tree = tree
        for event in events:
            for note in self._notes_of(tree, event):
                if note.durable:
                    self._remember(note)
                self._tell(note)

    def _notes_of(self, tree: Tree, event: AnyEvent) -> Iterator[Note]:
        if isinstance(event, SignSeen | UsageSeen) and not self._is_due(event.node, event.awake_ms):
            return
        seq = event.seq if event.durable else tree.seq
        for node_id in touched(tree, event):
            own = node_id == event.node
            seen = isinstance(event, UsageSeen) and not own
            if seen and not self._is_due(node_id, event.awake_ms):
                continue
            yield Note(
                seq=seq,
                type=event_name(event) if own else CHANGED,
                node=node_id,
                at=event.at_ms,
                parent=_listener(tree, event) if own else None,
                durable=event.durable,
            )

    def _is_due(self, node_id: NodeId, awake_ms: int) -> bool:
        """Let telemetry of one node through once a second, and each new phase at once."""
        node = self._tree.nodes.get(node_id)
        if node is None or not node.is_live:
            return False
        told_ms, phase = self._told_ms.get(node_id, (-SIGN_INTERVAL_MS, None))
        if phase == node.phase and awake_ms - told_ms < SIGN_INTERVAL_MS:
            return False
        if len(self._told_ms) >= REMEMBERED:
            self._told_ms.clear()
        self._told_ms[node_id] = (awake_ms, node.phase)
        return True

    def _remember(self, note: Note) -> None:
        self._notes.append(note)
        while len(self._notes) > REMEMBERED:
            self._floor = self._notes.popleft().seq

    def _tell(self, note: Note) -> None:
        written: dict[bool, msgspec.Raw] = {}
        for reader, node_id in tuple(self._readers.items()):
            if _may_hear(note, node_id):
                whole = node_id is None
                if whole not in written:
                    written[whole] = self._written(note, whole=whole)
                self._notify(reader, node_id, note, written[whole])

    def _notify(
        self, reader: Reader, node_id: NodeId | None, note: Note, written: msgspec.Raw
    ) -> None:
        """Tell one reader; what a node is told is counted as shown."""
        if node_id is not None:
            about = note.node if note.node != node_id else None
            size = len(written)
            self._show(node_id, size, (Part(node=about, why=Why.ANSWER, size=size),))
        reader.notify(METHOD, written)

    def _written(self, note: Note, *, whole: bool) -> msgspec.Raw:
        """Write a note for the operator, or for the parent of the node it is about."""
        node = self._tree.nodes.get(note.node)
        row = None
        if node is not None and whole:
            row = self._rows.whole(self._tree, node)
        elif node is not None and note.parent == node.parent:
            row = self._rows.short(node)
        shown = Written(seq=note.seq, type=note.type, node=note.node, at=note.at, row=row)
        return msgspec.Raw(_encode(shown))

    def _drop(self, reader: Reader) -> None:
        self._readers.pop(reader, None)


def _listener(tree: Tree, event: AnyEvent) -> NodeId | None:
    """Name the node that may hear of an event about a node; none for most events."""
    if isinstance(event, MessageStaged):
        return event.node
    node = tree.nodes.get(event.node)
    return node.parent if node is not None and type(event) in TO_PARENTS else None


def _may_hear(note: Note, node_id: NodeId | None) -> bool:
    return node_id is None or note.parent == node_id
