"""Answers to what starts, stops and records work."""

from typing import Any

from subsessiond.model.base import Value
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Status


class OpenAnswer(Value, frozen=True, kw_only=True):
    """A root is there."""

    node_id: NodeId
    token: str
    resumed: bool
    token_cap: int
    workspace: str


class SpawnAnswer(Value, frozen=True, kw_only=True):
    """A child is admitted."""

    node_id: NodeId
    state: Status
    claimed_at: int
    warnings: tuple[str, ...]
    would_admit: bool | None = None
    """With `checkOnly`: every check passed and nothing was started."""


class AttachAnswer(Value, frozen=True, kw_only=True):
    """What a process needs to know that is a child from now on, or could become it."""

    node_id: NodeId
    opening: str
    """Mission, owned files, contract and letter: the first thing a child reads."""
    workspace: str
    """The folder it works in."""
    socket: str
    pid: int | None = None
    """The process that is the child now; absent with `checkOnly`."""
    token: str = ""
    """For the environment of what the process starts; given once, and never with `checkOnly`."""


class CheckpointAnswer(Value, frozen=True, kw_only=True):
    """A checkpoint is durable."""

    pointer: str
    line: int


class StoppedNode(Value, frozen=True, kw_only=True):
    """What became of one node of a stopped subtree."""

    node_id: NodeId
    state: Status
    forced: bool
    leftovers: tuple[str, ...]


class CancelAnswer(Value, frozen=True, kw_only=True):
    """What a cancel or close covers."""

    nodes: tuple[StoppedNode, ...]
    already: bool
    """Nothing was left to stop when this was called."""
    more: int = 0
    """Nodes left out of an answer to a node."""


class NodeAnswer(Value, frozen=True, kw_only=True):
    """Done to this node."""

    node_id: NodeId


class TranscriptRecord(Value, frozen=True, kw_only=True):
    """One piece of a transcript."""

    n: int
    at: int
    kind: str
    """`in`, `out`, `err`, `note`, or `lost`: how much was dropped here."""
    text: str
    """Scrubbed; whole lines, unless `more`."""
    more: bool = False
    """The next piece of this kind goes on with the same line."""


class TranscriptAnswer(Value, frozen=True, kw_only=True):
    """A page of a transcript."""

    records: tuple[TranscriptRecord, ...]
    next: int
    """Number to go on after."""
    more: bool
    """More is there already."""
    live: bool
    """More may still come."""


class JournalEntry(Value, frozen=True, kw_only=True):
    """One line of a journal."""

    n: int
    at: int
    kind: str
    body: dict[str, Any]
    damaged: bool
    cut: bool = False
    """The body is too large for this answer; read it in the file."""


class JournalAnswer(Value, frozen=True, kw_only=True):
    """A page of a journal."""

    records: tuple[JournalEntry, ...]
    next: int | None = None
    """Line to go on with."""
