"""What the methods work with: the engine, the ports, and what is kept for reading the tree."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from subsessiond.core.scrub import Scrubber
from subsessiond.model.commands import Caller, ClientCommand, Command
from subsessiond.model.decision import Reply
from subsessiond.model.events import AnyEvent
from subsessiond.model.ids import MessageId, NodeId
from subsessiond.model.ledger import Account, Life, Part
from subsessiond.model.node import Node
from subsessiond.model.peer import Peer
from subsessiond.model.policy import Limits, Policy
from subsessiond.model.process import Identity
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.role import AgentProfile
from subsessiond.model.tree import Tree
from subsessiond.ports import Clock, IdSource, Journals, Stamps, Store, Transcripts, Workspace
from subsessiond.rpc.changes import Changes
from subsessiond.rpc.events import Feed
from subsessiond.rpc.granting import Granting
from subsessiond.rpc.guard import Guard
from subsessiond.rpc.refused import Refused
from subsessiond.rpc.rows import Rows

R = TypeVar("R", bound=Reply)


class Registry(Protocol):
    """The single writer, as methods see it."""

    tree: Tree
    policy: Policy

    @property
    def handed(self) -> set[MessageId]:
        """Messages on their way to their reader, whose move is not published yet."""

    def submit(self, command: ClientCommand) -> asyncio.Future[Reply | Rejection | None]:
        """Queue a client's command before anything is awaited."""

    def tell(self, command: Command) -> None:
        """Queue an internal command."""

    async def ask(self, command: Command) -> Reply | Rejection | None:
        """Queue an internal command and wait until it is durable."""

    def listen(self, listener: Callable[[tuple[AnyEvent, ...], Tree], None]) -> Callable[[], None]:
        """Call back after each publication."""


class Waiting(Protocol):
    """Waits for the tree to change."""

    async def until(
        self,
        wake: frozenset[NodeId] | None,
        predicate: Callable[[Tree], bool],
        timeout_ms: int,
    ) -> bool:
        """Wait until something holds of the published tree; tells whether it does."""


class Tokens(Protocol):
    """Which token belongs to which node."""

    def give(self, node_id: NodeId, token: str) -> None:
        """Bind a fresh token to a node."""

    def take_back(self, node_id: NodeId) -> None:
        """End a node's token."""


class Channels(Protocol):
    """Which nodes have listed our tools."""

    def note(self, node_id: NodeId) -> None:
        """Know that a node's agent has listed our tools."""

    def seen(self, node_id: NodeId) -> bool:
        """Tell whether it has."""


class Ledger(Protocol):
    """The context ledger, as those see it who show something to a parent."""

    @property
    def lives(self) -> tuple[Life, ...]:
        """Lives of the daemon whose last counts were lost."""

    def show(self, reader: NodeId, size: int, parts: Sequence[Part]) -> None:
        """Count what a parent is shown."""

    def define(self, node_id: NodeId, size: int) -> None:
        """Note the size of the definitions of our tools."""

    async def of(self, ids: Sequence[NodeId]) -> dict[NodeId, Account]:
        """Give the counts of those nodes that have any."""


class Lanes:
    """One lane a key: who comes first goes first, though the way to the registry is a slow one.

    Why: reading paths from disk comes before a spawn is submitted, and of two calls of one caller
    the earlier is to be decided earlier.
    """

    def __init__(self) -> None:
        self._locks: dict[NodeId, tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def of(self, key: NodeId) -> AsyncIterator[None]:
        """Hold the lane."""
        lock, users = self._locks.get(key, (asyncio.Lock(), 0))
        self._locks[key] = (lock, users + 1)
        try:
            async with lock:
                yield
        finally:
            lock, users = self._locks[key]
            if users == 1:
                del self._locks[key]
            else:
                self._locks[key] = (lock, users - 1)


@dataclass(frozen=True, slots=True)
class About:
    """Facts of this daemon that do not change while it runs."""

    version: str
    pid: int
    started_at_ms: int
    socket: str
    state_dir: str
    config_dir: str
    containers: str
    """Kind of container children run in."""


def _nothing(_: AgentProfile) -> str:
    return ""


@dataclass(frozen=True)
class Desk:
    """Everything a method may use."""

    registry: Registry
    waiting: Waiting
    clock: Clock
    ids: IdSource
    workspace: Workspace
    journals: Journals
    store: Store
    tokens: Tokens
    channels: Channels
    about: About
    changes: Changes
    feed: Feed
    rows: Rows
    peer_of: Callable[[Caller], Peer | None]
    """The process behind a caller; none for a page."""
    runs: Callable[[Identity], bool]
    """Tells whether a process that was seen before still runs."""
    shutdown: Callable[[], None]
    """Begins the end of the daemon; returns at once."""
    reload: Callable[[], Awaitable[Policy]]
    """Reads the tables anew; raises ConfigFault and keeps the old ones when they are bad."""
    settle_journals: Callable[[], Awaitable[None]]
    """Returns when every journal line of before stands in its file, or cannot."""
    transcripts: Transcripts
    ledger: Ledger
    scrubber: Scrubber = field(default_factory=Scrubber)
    """Takes secrets out of what is shown of a transcript."""
    problem_of: Callable[[AgentProfile], str] = _nothing
    """Says why no child of an agent could start now; empty where nothing is known against it."""
    program_of: Callable[[AgentProfile], str] = _nothing
    """Names the program that children of an agent are; empty where there is none."""
    port: Callable[[], int | None] = lambda: None
    """Gives the port of loopback, where one is open."""
    guard: Guard = field(default_factory=Guard)
    granting: Granting = field(default_factory=Granting)
    """Asks for the operator's passphrase where one is set."""
    lanes: Lanes = field(default_factory=Lanes)
    judging: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while data is held against a schema: by one at a time, beside the loop."""

    @property
    def tree(self) -> Tree:
        """The published tree."""
        return self.registry.tree

    @property
    def limits(self) -> Limits:
        """The configured bounds."""
        return self.registry.policy.limits

    def stamps(self) -> Stamps:
        """What every command carries."""
        return {"at_ms": self.clock.wall_ms(), "awake_ms": self.clock.awake_ms()}

    async def ask(self, command: ClientCommand, expected: type[R]) -> R:
        """Submit a command and wait until its answer is durable.

        Raises:
            Refused: the registry refused it.
        """
        reply = await self.registry.submit(command)
        if isinstance(reply, Rejection):
            raise Refused(reply)
        if not isinstance(reply, expected):
            raise TypeError(f"{type(command).__name__} was answered by {type(reply).__name__}")
        return reply

    def node(self, node_id: NodeId) -> Node:
        """Look a node up in memory.

        Raises:
            Refused: NOT_FOUND - there is none.
        """
        node = self.tree.nodes.get(node_id)
        if node is None:
            raise not_found()
        return node

    async def any_node(self, node_id: NodeId) -> Node:
        """Look a node up in memory, then in the store: for the operator.

        Raises:
            Refused: NOT_FOUND - there is none.
        """
        node = self.tree.nodes.get(node_id) or await self.store.node(node_id)
        if node is None:
            raise not_found()
        return node


def not_found() -> Refused:
    """Refuse alike what is not there and what is not the caller's."""
    return Refused(Rejection(code=Code.NOT_FOUND, step="node"))


def open_desk(
    registry: Registry, follow: Callable[[tuple[AnyEvent, ...], Tree], None], ledger: Ledger
) -> tuple[Changes, Feed, Rows]:
    """Make what is kept beside the tree and let it follow the registry.

    Args:
        registry: Publishes.
        follow: Is told first: whose territory a process lies in must be known before anybody
            can call from it.
        ledger: Counts what nodes are told.
    """
    rows = Rows()
    changes, feed = Changes(registry.tree, registry.handed), Feed(registry.tree, rows, ledger.show)
    for listener in (follow, changes.on_events, feed.on_events):
        registry.listen(listener)
    return changes, feed, rows
