"""What a batch changes, found from its events: never by looking at every node. Pure."""

from collections.abc import Iterator

import msgspec

from subsessiond.model.events import (
    AnyEvent,
    MailForwarded,
    MessagesMoved,
    MessageStaged,
    NodeAdmitted,
    RootOpened,
)
from subsessiond.model.ids import NodeId
from subsessiond.model.message import Message
from subsessiond.model.node import Node
from subsessiond.model.tree import KeyRecord, Tree


class Touched(msgspec.Struct, frozen=True):
    """The rows that differ between two trees."""

    nodes: tuple[tuple[Node, bool], ...]
    """Changed nodes, and whether their brief is to be written too."""
    mail: tuple[tuple[NodeId, tuple[Message, ...], tuple[Message, ...]], ...]
    """Recipient, box before, box after."""
    keys: tuple[KeyRecord, ...]
    freed_keys: tuple[tuple[str, str], ...]


def touched(before: Tree, after: Tree, events: tuple[AnyEvent, ...]) -> Touched:
    """Find the rows to write so that `before` on disk becomes `after`."""
    names = _with_relatives(before, after, events)
    nodes = tuple(
        (node, (old := before.nodes.get(name)) is None or old.brief is not node.brief)
        for name in names
        if (node := after.nodes.get(name)) is not None and node is not before.nodes.get(name)
    )
    keys, freed = _keys(before, after, tuple(node for node, _ in nodes))
    return Touched(nodes=nodes, mail=_mail(before, after, names), keys=keys, freed_keys=freed)


def _with_relatives(before: Tree, after: Tree, events: tuple[AnyEvent, ...]) -> tuple[NodeId, ...]:
    """Name all nodes an event can change: those it speaks of, their line and their ancestors.

    Why so many: a grant raises every ancestor's cap, a start that failed frees its predecessor, and
    a release starts its successor's clock. Looking at a node that did not change is cheap.
    """
    found: dict[NodeId, None] = {}
    for event in events:
        for name in _named(event):
            for tree in (before, after):
                _add_line(tree, name, found)
    return tuple(found)


def _add_line(tree: Tree, name: NodeId, found: dict[NodeId, None]) -> None:
    node = tree.nodes.get(name)
    found[name] = None
    if node is None:
        return
    for relative in (node.predecessor, node.successor):
        if relative is not None:
            found[relative] = None
    while node is not None and node.parent is not None:
        found[node.parent] = None
        node = tree.nodes.get(node.parent)


def _named(event: AnyEvent) -> Iterator[NodeId]:
    yield event.node
    match event:
        case RootOpened() | NodeAdmitted():
            yield event.record.node_id
        case MessageStaged():
            yield from (n for n in (event.caused_by, event.message.sender) if n is not None)
        case MailForwarded():
            yield event.to
        case MessagesMoved():
            # Superseded progress is no longer counted at its sender, whose name a message bears.
            yield from (NodeId(name.rpartition(".")[0]) for name in event.message_ids)


def _mail(
    before: Tree, after: Tree, names: tuple[NodeId, ...]
) -> tuple[tuple[NodeId, tuple[Message, ...], tuple[Message, ...]], ...]:
    if before.mail is after.mail:
        return ()
    boxes = ((name, before.mail.get(name, ()), after.mail.get(name, ())) for name in names)
    return tuple(box for box in boxes if box[1] is not box[2])


def _keys(
    before: Tree, after: Tree, nodes: tuple[Node, ...]
) -> tuple[tuple[KeyRecord, ...], tuple[tuple[str, str], ...]]:
    """Find keys used and freed. A key whose owner left the tree is kept on disk, not freed."""
    if before.keys is after.keys:
        return (), ()
    places = tuple((n.parent, n.key) for n in nodes if n.parent is not None and n.key is not None)
    used = tuple(
        key for p in places if (key := after.keys.get(p)) and key is not before.keys.get(p)
    )
    freed = tuple(p for p in places if p in before.keys and p not in after.keys)
    return used, tuple((owner, key) for owner, key in freed if owner in after.nodes)
