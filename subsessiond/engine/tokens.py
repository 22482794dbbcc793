"""Tokens of nodes: given to a child's environment, never written down."""

from hashlib import sha256

from subsessiond.model.events import AnyEvent, NodeReleased
from subsessiond.model.ids import NodeId
from subsessiond.model.tree import Tree


def token_hash(token: str) -> str:
    """Give the form in which a root's token is remembered."""
    # Why so: it may be any bytes that somebody put into a header.
    return sha256(token.encode(errors="surrogateescape")).hexdigest()


class Tokens:
    """Which token belongs to which node, from admission to release; one a node."""

    def __init__(self) -> None:
        self._nodes: dict[str, NodeId] = {}
        self._hashes: dict[NodeId, str] = {}

    def give(self, node_id: NodeId, token: str) -> None:
        """Bind a fresh token to a node; one it had before ends."""
        self._bind(node_id, token_hash(token))

    def remember(self, node_id: NodeId, hashed: str) -> None:
        """Bind a root's token, known by its hash alone, after a restart."""
        if hashed:
            self._bind(node_id, hashed)

    def take_back(self, node_id: NodeId) -> None:
        """End a node's token."""
        hashed = self._hashes.pop(node_id, None)
        if hashed is not None:
            self._nodes.pop(hashed, None)

    def node_of(self, token: str) -> NodeId | None:
        """Tell whose token this is."""
        return self._nodes.get(token_hash(token))

    def on_events(self, events: tuple[AnyEvent, ...], _tree: Tree) -> None:
        """End the tokens of released nodes; a root has no processes whose end would do it."""
        for event in events:
            if isinstance(event, NodeReleased):
                self.take_back(event.node)

    def _bind(self, node_id: NodeId, hashed: str) -> None:
        self.take_back(node_id)
        self._nodes[hashed] = node_id
        self._hashes[node_id] = hashed
