"""Nodes and trees made field by field, for tests of what is shown of them."""

from collections.abc import Iterable
from typing import Any

from immutables import Map

from subsessiond.model.brief import Brief
from subsessiond.model.ids import NodeId
from subsessiond.model.message import Message
from subsessiond.model.node import Author, Node, Settlement, Status, StopReason
from subsessiond.model.report import Outcome
from subsessiond.model.tree import Tree

AT_MS = 1_800_000_000_000


def node_id(number: int) -> NodeId:
    """Spell a number as a node id."""
    return NodeId(f"{number:026d}")


def a_node(number: int, parent: int | None = 1, **fields: Any) -> Node:
    """Make a node; number 1 is the root unless told otherwise."""
    made: dict[str, Any] = {
        "node_id": node_id(number),
        "parent": None if parent is None else node_id(parent),
        "root": node_id(1),
        "workspace": "/w",
        "status": Status.RUNNING,
        "title": f"node {number}",
        "depth": 1,
        "token_cap": 200_000,
        "claimed_at_ms": AT_MS,
        "brief": None if parent is None else Brief(mission=f"mission {number}"),
        **fields,
    }
    return Node(**made)


def a_settlement(outcome: Outcome = Outcome.COMPLETED, **fields: Any) -> Settlement:
    """Make a settled record."""
    made: dict[str, Any] = {
        "outcome": outcome,
        "stop_reason": StopReason.COMPLETED,
        "reason": "final-report",
        "author": Author.CHILD,
        **fields,
    }
    return Settlement(**made)


def a_tree(nodes: Iterable[Node], mail: Iterable[Message] = (), seq: int = 100) -> Tree:
    """Put nodes into a tree; only what views read is filled."""
    known = {node.node_id: node for node in nodes}
    children: dict[NodeId, tuple[NodeId, ...]] = {}
    for name in sorted(known):
        parent = known[name].parent
        if parent is not None:
            children[parent] = (*children.get(parent, ()), name)
    boxes: dict[NodeId, tuple[Message, ...]] = {}
    for message in mail:
        boxes[message.recipient] = (*boxes.get(message.recipient, ()), message)
    return Tree(nodes=Map(known), children=Map(children), mail=Map(boxes), seq=seq)
