"""The context ledger: what each session holds, and what of it its parent was shown.

Counts are added up in memory, where bytes leave, and kept a moment later. No command waits for
them, and no decision sees them.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final

import structlog
from msgspec.structs import replace

from subsessiond.core import ledger
from subsessiond.engine.registry import Registry
from subsessiond.model.events import (
    AnyEvent,
    MessagesMoved,
    NodeAdmitted,
    NodeReleased,
    RootOpened,
    TreeForgotten,
)
from subsessiond.model.ids import NodeId
from subsessiond.model.ledger import Account, Life, Part, Stream
from subsessiond.model.tree import Tree
from subsessiond.ports import Clock, Store, StoreFault

REST_S: Final = 1.0
"""How long counts gather before they are kept: what a killed daemon has counted for nothing."""

log = structlog.get_logger(__name__)


@asynccontextmanager
async def counting(ledger: "Ledger", registry: Registry) -> AsyncIterator[None]:
    """Count what happens in a registry for the length of a block, and keep it."""
    await listening(registry, ledger).load(registry.tree)
    task = asyncio.create_task(ledger.run(), name="ledger")
    try:
        yield
    finally:
        ledger.stop()
        await task


def listening(registry: Registry, ledger: "Ledger") -> "Ledger":
    """Let a ledger follow a registry."""
    registry.listen(ledger.on_events)
    return ledger


class Ledger:
    """Counts for every node of the published tree.

    Args:
        store: Keeps the counts.
        clock: Tells since when a node is counted that was there before.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._accounts: dict[NodeId, Account] = {}
        self._unkept: set[NodeId] = set()
        self._roots: dict[NodeId, NodeId] = {}
        self._forgotten: set[NodeId] = set()
        self._news = asyncio.Event()
        self._hurry = asyncio.Event()
        self._stopped = False
        self._begun = False
        self._failing = False
        """Whether the operator has been told that nothing is kept."""
        self._lives: tuple[Life, ...] = ()
        self._tree = Tree()

    @property
    def lives(self) -> tuple[Life, ...]:
        """Lives of the daemon whose last counts were lost."""
        return self._lives

    async def load(self, tree: Tree) -> None:
        """Go on where the last life stopped."""
        try:
            await self._begin()
        except StoreFault as fault:
            # Why go on: a full disk keeps no daemon from starting. It is tried again.
            log.warning("counts are not kept", fault=str(fault))
            self._failing = True
        self._tree = tree
        ids = tuple(sorted(tree.nodes))
        self._roots = {node_id: tree.nodes[node_id].root for node_id in ids}
        found = await self._store.accounts(ids)
        self._accounts |= {account.node_id: account for account in found}

    async def _begin(self) -> None:
        """Note that this life counts, so that the next one knows if it never ended."""
        if not self._begun:
            self._lives = await self._store.begin_counting(self._clock.wall_ms())
            self._begun = True

    def on_events(self, events: tuple[AnyEvent, ...], tree: Tree) -> None:
        """Begin to count for new nodes, and stop for those that are in the store alone."""
        before, self._tree = self._tree, tree
        for event in events:
            if isinstance(event, RootOpened | NodeAdmitted):
                self._roots[event.node] = event.record.root
                self._put(Account(node_id=event.node))
            elif isinstance(event, MessagesMoved):
                if parts := ledger.read_by_script(before, event):
                    self.show(event.node, sum(part.size for part in parts), parts)
            elif isinstance(event, NodeReleased):
                # Why now: all of it has been read, and a figure that is whole is worth keeping.
                self._hurry.set()
                self._wake()
            elif isinstance(event, TreeForgotten):
                self._forgotten.add(event.node)
                self._wake()

    def stream(self, node_id: NodeId, stream: Stream, size: int) -> None:
        """Count what went between the daemon and a child."""
        if size:
            self._put(ledger.streamed(self._account(node_id), stream, size))

    def show(self, reader: NodeId, size: int, parts: Sequence[Part]) -> None:
        """Count what a parent is shown.

        Args:
            reader: The parent.
            size: Bytes of all of it.
            parts: What in it comes of which child; the rest is shared among them.
        """
        for part in ledger.split(size, parts):
            if part.node is None or not self.knows(part.node):
                # Why the second: a spawn that only checks names a child that there will not be.
                own = self._account(reader)
                self._put(replace(own, general=own.general + part.size))
            else:
                self._put(ledger.shown(self._account(part.node), part.why, part.size))

    def define(self, node_id: NodeId, size: int) -> None:
        """Note how large the definitions of our tools are that a node's agent has been given."""
        account = self._account(node_id)
        if account.definitions != size:
            self._put(replace(account, definitions=size))

    def knows(self, node_id: NodeId) -> bool:
        """Tell whether a node is counted in memory."""
        return node_id in self._roots

    async def of(self, ids: Sequence[NodeId]) -> dict[NodeId, Account]:
        """Give the counts of those nodes that have any."""
        old = tuple(node_id for node_id in ids if node_id not in self._accounts)
        found = {account.node_id: account for account in await self._store.accounts(old)}
        return found | {name: self._accounts[name] for name in ids if name in self._accounts}

    def stop(self) -> None:
        """Let `run` return once everything is kept."""
        self._stopped = True
        self._hurry.set()
        self._news.set()

    async def run(self) -> None:
        """Keep counts until stopped."""
        last = False
        while not last:
            await self._news.wait()
            self._news.clear()
            await self._rest()
            last = self._stopped
            await self._keep(last=last)

    async def _rest(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(REST_S):
                await self._hurry.wait()
        if not self._stopped:
            self._hurry.clear()

    async def _keep(self, *, last: bool) -> None:
        unkept, self._unkept = self._unkept, set()
        counts = tuple(self._accounts[name] for name in sorted(unkept) if name in self._accounts)
        try:
            if counts or last:
                await self._begin()
                await self._store.keep_accounts(counts, last=last)
        except StoreFault as fault:
            # Why go on: they are kept with the next ones, and nothing waits for them.
            if not self._failing:
                log.warning("counts are not kept", nodes=len(counts), fault=str(fault))
            self._failing = True
            self._unkept |= unkept
            return
        self._failing = False
        self._forget()

    def _forget(self) -> None:
        """Let go of what is in the store alone, once its last counts are there too."""
        if not self._forgotten:
            return
        gone = [name for name, root in self._roots.items() if root in self._forgotten]
        for name in gone:
            if name not in self._unkept:
                del self._roots[name]
                self._accounts.pop(name, None)
        self._forgotten &= {self._roots[name] for name in gone if name in self._roots}

    def _account(self, node_id: NodeId) -> Account:
        """Give a node's counts; one that was there before anybody counted begins now."""
        known = self._accounts.get(node_id)
        return known or Account(node_id=node_id, since_ms=self._clock.wall_ms())

    def _put(self, account: Account) -> None:
        if not self.knows(account.node_id):
            # Why: of what is in the store alone the counts are there, and must not begin anew.
            return
        self._accounts[account.node_id] = account
        self._unkept.add(account.node_id)
        self._wake()

    def _wake(self) -> None:
        if not self._news.is_set():
            self._news.set()
