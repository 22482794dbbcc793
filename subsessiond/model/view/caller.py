"""Whom a caller is taken for."""

from enum import StrEnum

from subsessiond.model.base import Value
from subsessiond.model.ids import NodeId


class CallerKind(StrEnum):
    """What a process can be to the daemon."""

    OPERATOR = "operator"
    ROOT = "root"
    CHILD = "child"


class TerritoryRow(Value, frozen=True, kw_only=True):
    """The process whose descendants are all taken for one node."""

    pid: int
    name: str = ""
    """What it was called when it became the node's."""
    runs: bool


class CallerAnswer(Value, frozen=True, kw_only=True):
    """For whom the daemon takes the process that asks, and why."""

    kind: CallerKind
    node_id: NodeId | None = None
    """The node; left out of the operator."""
    is_live: bool | None = None
    """Of a node: whether it has not settled."""
    may_grant: bool
    """Whether grants are taken from here, apart from the passphrase."""
    why: str
    """How it was found out."""
    territory: TerritoryRow | None = None
    """Of a node: the process that makes it this node's; left out where none is recorded."""
