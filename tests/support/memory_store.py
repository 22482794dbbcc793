"""A store that keeps everything in memory, for tests of what stands above it."""

from collections.abc import Callable

from msgspec.structs import replace

from subsessiond.adapters.store.agents import process_of
from subsessiond.model.events import AnyEvent, MessagesMoved
from subsessiond.model.ids import MessageId, NodeId
from subsessiond.model.ledger import Account, Life
from subsessiond.model.message import MessageState
from subsessiond.model.node import Node, Status
from subsessiond.model.projectrole import AcceptedRole
from subsessiond.model.tree import Tree
from subsessiond.ports import Agent, Batch, JournalLine, Loaded, StoreFault


def _agent(event: AnyEvent) -> Agent | None:
    identity = process_of(event)
    return None if identity is None else (event.node, identity)


class MemoryAcceptances:
    """Keeps what was accepted. `fault` is raised by the next ones."""

    def __init__(self) -> None:
        self.fault: StoreFault | None = None
        self._kept: set[AcceptedRole] = set()

    async def accept(self, role: AcceptedRole, at_ms: int) -> None:
        """Keep one."""
        if self.fault is not None:
            raise self.fault
        assert at_ms >= 0
        self._kept.add(role)

    async def of(self, workspace: str) -> tuple[AcceptedRole, ...]:
        """Give those of a workspace."""
        found = [role for role in self._kept if role.workspace == workspace]
        return tuple(sorted(found, key=lambda role: (role.name, role.digest)))


class MemoryStore:
    """Keeps the store's promises but durability. `fault` is raised by the next commits."""

    def __init__(self) -> None:
        self.fault: StoreFault | None = None
        self.has_room = True
        self.roles = MemoryAcceptances()
        self.backups = 0
        self.backup_due = False
        self._tree = Tree()
        self._nodes: dict[NodeId, Node] = {}
        self._events: list[AnyEvent] = []
        self._accounts: dict[NodeId, Account] = {}
        self._counting_since: int | None = None
        self._lives: tuple[Life, ...] = ()
        self._lines: dict[tuple[NodeId, int], tuple[JournalLine, bool]] = {}

    async def load(self, fold: Callable[[Tree, Node], Tree]) -> Loaded:
        """Give back what was committed and is open."""
        open_roots = {n.root for n in self._nodes.values() if n.status is not Status.RELEASED}
        tree = Tree()
        for name in sorted(self._nodes):  # names grow with age: parents come first
            if self._nodes[name].root in open_roots:
                tree = fold(tree, self._nodes[name])
        boxes = {name: box for name, box in self._tree.mail.items() if name in tree.nodes}
        keys = {at: key for at, key in self._tree.keys.items() if key.owner in tree.nodes}
        mail = tree.mail.update(boxes)
        return Loaded(
            tree=replace(tree, seq=self._tree.seq, mail=mail, keys=tree.keys.update(keys)),
            agents=tuple(filter(None, map(_agent, self._events))),
        )

    async def commit(self, batch: Batch) -> None:
        """Take a batch."""
        if self.fault is not None:
            raise self.fault
        numbers = [event.seq for event in batch.events]
        if numbers != list(range(self._tree.seq + 1, self._tree.seq + 1 + len(numbers))):
            raise ValueError("a gap")
        self._events += batch.events
        self._tree = batch.tree
        self._nodes.update(batch.tree.nodes)
        self._lines.update({(n.node_id, n.n): (n, False) for n in batch.lines})

    async def events_after(self, seq: int, limit: int) -> tuple[AnyEvent, ...]:
        """Read events."""
        return tuple(event for event in self._events if event.seq > seq)[:limit]

    async def moved(
        self, mailboxes: tuple[NodeId, ...], message_id: MessageId
    ) -> MessageState | None:
        """Find the last move of a message."""
        for event in reversed(self._events):
            if isinstance(event, MessagesMoved) and event.node in mailboxes:  # noqa: SIM102
                if message_id in event.message_ids:
                    return event.state
        return None

    def forget_events(self) -> None:
        """Lose the history, as a store that is rebuilt does."""
        self._events.clear()

    async def node(self, node_id: NodeId) -> Node | None:
        """Read a node."""
        return self._nodes.get(node_id)

    async def tree_of(self, root: NodeId) -> tuple[Node, ...]:
        """Read a tree; names grow with age."""
        return tuple(n for _, n in sorted(self._nodes.items()) if n.root == root)

    async def begin_counting(self, at_ms: int) -> tuple[Life, ...]:
        """Begin a life."""
        if self.fault is not None:
            raise self.fault
        if self._counting_since is not None:
            self._lives += (Life(began_ms=self._counting_since, found_ms=at_ms),)
        self._counting_since = at_ms
        return self._lives

    async def accounts(self, ids: tuple[NodeId, ...]) -> tuple[Account, ...]:
        """Read counts."""
        return tuple(self._accounts[node_id] for node_id in ids if node_id in self._accounts)

    async def keep_accounts(self, counts: tuple[Account, ...], *, last: bool = False) -> None:
        """Keep counts."""
        if self.fault is not None:
            raise self.fault
        self._accounts.update((account.node_id, account) for account in counts)
        if last:
            self._counting_since = None

    async def unsynced_lines(self) -> tuple[JournalLine, ...]:
        """Read lines not yet synced."""
        return tuple(self._lines[at][0] for at in sorted(self._lines) if not self._lines[at][1])

    async def kept_lines(self, node_id: NodeId) -> tuple[JournalLine, ...]:
        """Read all lines still kept of a node."""
        return tuple(self._lines[at][0] for at in sorted(self._lines) if at[0] == node_id)

    async def lines_synced(self, lines: tuple[tuple[NodeId, int], ...]) -> None:
        """Mark lines and drop all but the last three."""
        for at in lines:
            self._lines[at] = (self._lines[at][0], True)
        for node_id in {node_id for node_id, _ in lines}:
            newest = max(n for name, n in self._lines if name == node_id)
            for at, (_, synced) in tuple(self._lines.items()):
                if at[0] == node_id and synced and at[1] <= newest - 3:
                    del self._lines[at]

    def room(self) -> bool:
        """Tell what the test said."""
        return self.has_room

    async def backup(self) -> None:
        """Count."""
        self.backups += 1

    async def aclose(self) -> None:
        """Do nothing."""
