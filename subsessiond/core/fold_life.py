"""Folds of a node's life: opened, admitted, started, settled, released."""

from typing import Any, Final, TypeVar

from immutables import Map
from msgspec.structs import replace

from subsessiond.core.change import change, node_at, sign
from subsessiond.core.indexes import put
from subsessiond.core.lifecycle import never_ran, next_status, surely_not_started
from subsessiond.core.tally import most
from subsessiond.model.events import (
    CancelRequested,
    LeftoversFound,
    NodeAdmitted,
    NodeReleased,
    NodeSettled,
    NodeStarted,
    ProcessNoted,
    RootJoined,
    RootOpened,
    RootResumed,
    TreeForgotten,
)
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node, Phase, Status
from subsessiond.model.process import Identity
from subsessiond.model.tree import KeyRecord, Tree

V = TypeVar("V")

FORMER_MOST: Final = 50
"""Agents remembered of one root: an editor that is opened anew every hour for two days."""


def root_opened(tree: Tree, event: RootOpened) -> Tree:
    """Add a root."""
    status = next_status(None, event)
    return put(tree, replace(event.record, status=status, seq=event.seq, journal_lines=1))


def root_resumed(tree: Tree, event: RootResumed) -> Tree:
    """Bind a root to whoever came back, and remember who was it before."""
    changes: dict[str, Any] = {"token_hash": event.token_hash} if event.token_hash else {}
    former = _former(node_at(tree, event.node), event.agent)
    changes |= {"identity": event.agent, "former": former}
    return change(tree, event, last_sign_ms=event.at_ms, **changes)


def root_joined(tree: Tree, event: RootJoined) -> Tree:
    """Know that somebody is there; whose process it is the territories remember."""
    return change(tree, event, last_sign_ms=event.at_ms)


def _former(root: Node, agent: Identity | None) -> tuple[Identity, ...]:
    """List those that were a root before; nobody has outlived another start of the machine."""
    own = agent.process if agent is not None else None
    held = (one for one in (root.identity, *root.former) if one is not None)
    known = [one for one in held if one.process != own]
    boot = next((one.boot_id for one in (agent, *known) if one is not None), "")
    return tuple(one for one in known if one.boot_id == boot)[:FORMER_MOST]


def node_admitted(tree: Tree, event: NodeAdmitted) -> Tree:
    """Add a child, take its key, and link it to whom it continues."""
    record = event.record
    status = next_status(None, event)
    tree = put(tree, replace(record, status=status, seq=event.seq, journal_lines=1))
    tree = replace(tree, pace=tree.pace.set(record.root, event.pace_ms))
    root = replace(node_at(tree, record.root), last_sign_ms=event.at_ms, seq=event.seq)
    tree = put(tree, root)
    if record.predecessor is not None:
        before = replace(node_at(tree, record.predecessor), successor=event.node, seq=event.seq)
        tree = put(tree, before)
    tree = _raise_caps(tree, record, record.grant.tokens, event.seq)
    if record.key is not None and record.parent is not None:
        known = KeyRecord(
            owner=record.parent,
            key=record.key,
            fingerprint=event.fingerprint,
            node_id=event.node,
        )
        tree = replace(tree, keys=tree.keys.set((record.parent, record.key), known))
    return tree


def _raise_caps(tree: Tree, record: Node, tokens: int, seq: int) -> Tree:
    """Raise every ancestor's cap by the tokens an operator granted (or take them back)."""
    above = record.parent if tokens else None
    while above is not None:
        node = node_at(tree, above)
        tree = put(tree, replace(node, token_cap=node.token_cap + tokens, seq=seq))
        above = node.parent
    return tree


def process_noted(tree: Tree, event: ProcessNoted) -> Tree:
    """Remember a process."""
    return change(tree, event, identity=event.identity)


def node_started(tree: Tree, event: NodeStarted) -> Tree:
    """Let a claimed node run."""
    node = node_at(tree, event.node)
    signs = {**sign(node, event, "start"), "phase": Phase.WORKING}
    return change(
        tree,
        event,
        status=next_status(node.status, event),
        started_at_ms=event.at_ms,
        identity=event.identity or node.identity,
        **signs,
    )


def node_settled(tree: Tree, event: NodeSettled) -> Tree:
    """Write the one terminal record; what never ran also gives its place back."""
    node, said = node_at(tree, event.node), event.settlement
    tree = change(
        tree,
        event,
        status=next_status(node.status, event),
        settlement=said,
        settled_at_ms=event.at_ms,
        measured=most(node.measured, said.measured),
        journal_lines=event.line or node.journal_lines,
        phase=Phase.STOPPING,
        newest=None,
        last_report=None,
        promotable=False,
    )
    if never_ran(node, said) and node.predecessor is not None:
        # Why: who comes next gets the predecessor's letter, not that of one who did nothing.
        before = node_at(tree, node.predecessor)
        tree = put(tree, replace(before, successor=None, seq=event.seq))
    if surely_not_started(node, said):
        tree = _undo_admission(tree, node, event.seq)
    return tree


def _undo_admission(tree: Tree, node: Node, seq: int) -> Tree:
    """Free the key and take back the grant of a start that surely did not happen."""
    place = (node.parent or "", node.key or "")
    known = tree.keys.get(place)
    if known is not None and known.node_id == node.node_id:
        tree = replace(tree, keys=tree.keys.delete(place))
    return _raise_caps(tree, node, -node.grant.tokens, seq)


def node_released(tree: Tree, event: NodeReleased) -> Tree:
    """Free the claim, and begin the start clock of a successor that waited for it."""
    node = node_at(tree, event.node)
    tree = change(
        tree,
        event,
        status=next_status(node.status, event),
        released_at_ms=event.at_ms,
        forced=node.forced or event.forced,
        leftovers=(),
        journal_lines=node.journal_lines + 1,
    )
    heir = tree.nodes.get(node.successor) if node.successor else None
    if heir is not None and heir.status is Status.CLAIMED:
        tree = put(tree, replace(heir, sign_awake_ms=event.awake_ms, seq=event.seq))
    return tree


def leftovers_found(tree: Tree, event: LeftoversFound) -> Tree:
    """Keep the claim of what cannot be proven gone."""
    forced = node_at(tree, event.node).forced or event.forced
    return change(tree, event, leftovers=event.leftovers, forced=forced)


def cancel_requested(tree: Tree, event: CancelRequested) -> Tree:
    """Close a subtree to new children."""
    return change(tree, event, stopping=True)


def tree_forgotten(tree: Tree, event: TreeForgotten) -> Tree:
    """Take a closed root and all below it out of memory."""
    gone = _all_below(tree, event.node)
    keys = tree.keys
    for place in sorted(place for place in keys if place[0] in gone):
        keys = keys.delete(place)
    return replace(
        tree,
        nodes=_without(tree.nodes, gone),
        children=_without(tree.children, gone),
        mail=_without(tree.mail, gone),
        roots=_without(tree.roots, gone),
        spawned_in=_without(tree.spawned_in, gone),
        pace=_without(tree.pace, gone),
        keys=keys,
    )


def _all_below(tree: Tree, root: NodeId) -> tuple[NodeId, ...]:
    found = [root]
    for node_id in found:  # grows while it is walked
        found.extend(tree.children.get(node_id, ()))
    return tuple(found)


def _without(rows: Map[NodeId, V], gone: tuple[NodeId, ...]) -> Map[NodeId, V]:
    for node_id in gone:
        if node_id in rows:
            rows = rows.delete(node_id)
    return rows
