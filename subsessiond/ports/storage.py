"""The registry on disk, and the readable record of each child."""

from collections.abc import Callable
from typing import Any, Protocol

from subsessiond.model.base import Value
from subsessiond.model.events import AnyEvent
from subsessiond.model.ids import MessageId, NodeId
from subsessiond.model.ledger import Account, Life
from subsessiond.model.message import MessageState
from subsessiond.model.node import Node
from subsessiond.model.process import Identity
from subsessiond.model.projectrole import AcceptedRole
from subsessiond.model.tree import Tree


class JournalLine(Value, frozen=True, kw_only=True):
    """One line of a node's journal, before it has a checksum."""

    node_id: NodeId
    workspace: str
    n: int
    """Line number, from 1."""
    at_ms: int
    kind: str
    body: dict[str, Any]


Agent = tuple[NodeId, Identity]
"""A process that speaks, or spoke, as a root."""


class Loaded(Value, frozen=True, kw_only=True):
    """What a store holds when the daemon starts."""

    tree: Tree
    warnings: tuple[str, ...] = ()
    agents: tuple[Agent, ...] = ()
    """The agents and bridges that there were of roots, closed ones too, oldest first."""


class Batch(Value, frozen=True, kw_only=True):
    """One transaction."""

    events: tuple[AnyEvent, ...]
    """Durable ones only, numbered without gaps after the last commit."""
    tree: Tree
    """The tree after them: snapshots of touched nodes, mail and keys are taken from it."""
    lines: tuple[JournalLine, ...] = ()
    """Journal lines these events cause; kept until they are synced in their files."""


class Acceptances(Protocol):
    """What the operator accepted of workspaces."""

    async def accept(self, role: AcceptedRole, at_ms: int) -> None:
        """Keep one, durably; again is no harm.

        Raises:
            StoreFault: it is not kept.
        """

    async def of(self, workspace: str) -> tuple[AcceptedRole, ...]:
        """Give those of a workspace, by name.

        Raises:
            StoreFault: they cannot be read.
        """


class Store(Protocol):
    """The registry on disk: one writer, one transaction at a time."""

    @property
    def roles(self) -> Acceptances:
        """What was accepted of workspaces."""

    async def load(self, fold: Callable[[Tree, Node], Tree]) -> Loaded:
        """Give back the last committed tree; `fold` adds one node with its indexes.

        Only trees with something unreleased are given back; `node` reads the others. A broken
        store is set aside and rebuilt first, and the warnings say so.

        Raises:
            StoreFault: it may not be read, is newer than this program, or is held by another.
        """

    async def commit(self, batch: Batch) -> None:
        """Make a batch durable, all or nothing. One at a time: never before the last has ended.

        A node that left the tree (because its root is closed) keeps its last snapshot.

        Raises:
            StoreFault: nothing of it is true; unless it is fatal, the batch may be tried again.
            ValueError: the events do not follow the last commit without a gap.
        """

    async def events_after(self, seq: int, limit: int) -> tuple[AnyEvent, ...]:
        """Read events with a greater number, oldest first, at most `limit`."""

    async def moved(
        self, mailboxes: tuple[NodeId, ...], message_id: MessageId
    ) -> MessageState | None:
        """Tell to which state a message was moved last in one of these mailboxes.

        None where it was not, or where the history was lost with an earlier store.
        """

    async def node(self, node_id: NodeId) -> Node | None:
        """Read a node that is not kept in memory any more."""

    async def tree_of(self, root: NodeId) -> tuple[Node, ...]:
        """Read a root and all below it, parents before their children."""

    async def begin_counting(self, at_ms: int) -> tuple[Life, ...]:
        """Note that counting begins; gives the lives that ended without their last counts."""

    async def accounts(self, ids: tuple[NodeId, ...]) -> tuple[Account, ...]:
        """Read the counts of those nodes that have any."""

    async def keep_accounts(self, counts: tuple[Account, ...], *, last: bool = False) -> None:
        """Keep counts, the last of this life where they are.

        Safe when the daemon is killed; when the machine dies, with the next commit.
        """

    async def unsynced_lines(self) -> tuple[JournalLine, ...]:
        """Read the journal lines that may not stand in their files yet."""

    async def kept_lines(self, node_id: NodeId) -> tuple[JournalLine, ...]:
        """Read the journal lines of one node that are still kept: all unsynced, the last three."""

    async def lines_synced(self, lines: tuple[tuple[NodeId, int], ...]) -> None:
        """Note that these journal lines are safe in their files."""

    def room(self) -> bool:
        """Tell whether the disk has room for more than what is under way already."""

    backup_due: bool
    """Whether the newest backup was more than a day old when the store was loaded."""

    async def backup(self) -> None:
        """Take a backup now; commits go on beside it.

        Raises:
            StoreFault: no backup could be taken; the store itself is not concerned.
        """

    async def aclose(self) -> None:
        """Close; idempotent."""


class JournalRecord(Value, frozen=True, kw_only=True):
    """One line as read back."""

    n: int
    at_ms: int
    kind: str
    body: dict[str, Any]
    damaged: bool = False
    """The checksum does not fit; `body` is what could be read, maybe empty."""


class Journals(Protocol):
    """The readable record of each child, in its workspace."""

    async def append(self, lines: tuple[JournalLine, ...]) -> tuple[tuple[NodeId, int], ...]:
        """Write lines and sync their files; gives back those that are safe.

        Line `n` stands in line `n` of its file, always. Lines already there (same number and
        content) count as safe and are not written twice. One that cannot be written is left
        out, with a warning to the operator; trying it again helps only after something changed.
        """

    async def read(
        self, workspace: str, node_id: NodeId, first: int, limit: int
    ) -> tuple[JournalRecord, ...]:
        """Read lines `first` and on; empty where there is no journal."""
