"""The registry's whole state: an immutable value, replaced and never changed."""

from immutables import Map

from subsessiond.model.base import Value
from subsessiond.model.ids import NodeId
from subsessiond.model.message import Message
from subsessiond.model.node import Node


class KeyRecord(Value, frozen=True, kw_only=True):
    """What an idempotency key was used for."""

    owner: str
    """The parent whose caller gave it."""
    key: str
    fingerprint: str
    """SHA-256 of role and brief, hexadecimal."""
    node_id: NodeId


class Tree(Value, frozen=True, kw_only=True):
    """Nodes, mail and keys, with the counts and indexes that decisions need at once."""

    seq: int = 0
    """Sequence number of the last event."""
    nodes: Map[NodeId, Node] = Map()
    children: Map[NodeId, tuple[NodeId, ...]] = Map()
    """Every child by its parent, oldest first."""
    mail: Map[NodeId, tuple[Message, ...]] = Map()
    """Messages not yet acknowledged, by recipient, oldest first."""
    keys: Map[tuple[str, str], KeyRecord] = Map()
    claims: Map[str, object] = Map()
    """Workspace to its index of unreleased claims (`core.scope.ClaimIndex`)."""
    writers: Map[str, int] = Map()
    """Workspace to its count of live nodes with claims."""
    roots: Map[NodeId, bool] = Map()
    """Every root in memory, and whether it is live."""
    live: Map[NodeId, bool] = Map()
    """Every live child."""
    live_below: Map[NodeId, int] = Map()
    """Parent to its count of live direct children."""
    live_in: Map[NodeId, int] = Map()
    """Root to the count of live children of its tree."""
    live_total: int = 0
    lent: Map[NodeId, int] = Map()
    """Parent to the sum of token caps of its live direct children."""
    spawned_in: Map[NodeId, int] = Map()
    """Root to the count of admissions in its tree."""
    pace: Map[NodeId, int] = Map()
    """Root to the awake clock at which its admissions would be back on their steady pace."""
