"""Bare nodes, for what asks a node and no tree."""

from pathlib import Path

from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node, Status


def node_in(workspace: Path, *owns: str) -> Node:
    """Make a bare node."""
    node_id = NodeId("0" * 26)
    return Node(
        node_id=node_id,
        parent=None,
        root=node_id,
        workspace=str(workspace),
        status=Status.RUNNING,
        title="",
        depth=0,
        token_cap=0,
        claimed_at_ms=0,
        owns=owns,
    )
