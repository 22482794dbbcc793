"""Tokens of nodes: given to a child's environment, never written down."""

from hashlib import sha256

from subsessiond.model.ids import NodeId


def token_hash(token: str) -> str:
    """Give the form in which a root's token is remembered."""
    return sha256(token.encode()).hexdigest()


class Tokens:
    """Which token belongs to which node, from admission to release."""

    def __init__(self) -> None:
        self._nodes: dict[str, NodeId] = {}
        self._tokens: dict[NodeId, str] = {}

    def give(self, node_id: NodeId, token: str) -> None:
        """Bind a fresh token to a node."""
        self._nodes[token_hash(token)] = node_id
        self._tokens[node_id] = token

    def remember(self, node_id: NodeId, hashed: str) -> None:
        """Bind a root's token, known by its hash alone, after a restart."""
        if hashed:
            self._nodes[hashed] = node_id

    def take_back(self, node_id: NodeId) -> None:
        """End a node's token."""
        token = self._tokens.pop(node_id, None)
        if token is not None:
            self._nodes.pop(token_hash(token), None)

    def node_of(self, token: str) -> NodeId | None:
        """Tell whose token this is."""
        return self._nodes.get(token_hash(token))
