"""The three moves that every fold is made of: find a node, change it, note its sign of life."""

from typing import Any

from msgspec.structs import replace

from subsessiond.core.indexes import put
from subsessiond.core.lifecycle import InvariantViolationError
from subsessiond.model.events import Event
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node, Phase
from subsessiond.model.tree import Tree


def node_at(tree: Tree, node_id: NodeId) -> Node:
    """Look up a node that an event speaks of.

    Raises:
        InvariantViolationError: there is none.
    """
    node = tree.nodes.get(node_id)
    if node is None:
        message = f"an event speaks of {node_id}, which is not in the tree"
        raise InvariantViolationError(message)
    return node


def change(tree: Tree, event: Event, **changes: Any) -> Tree:
    """Change the event's node and stamp it with the event's number."""
    if event.durable:
        changes["seq"] = event.seq
    return put(tree, replace(node_at(tree, event.node), **changes))


def sign(node: Node, event: Event, word: str) -> dict[str, Any]:
    """Give what a sign of life changes: who was waiting or rate-limited works again."""
    rested = node.phase in (Phase.WAITING, Phase.RATE_LIMITED)
    return {
        "last_sign_ms": event.at_ms,
        "last_sign": word,
        "sign_awake_ms": event.awake_ms,
        "marked_silent": False,
        "phase": Phase.WORKING if rested else node.phase,
    }
