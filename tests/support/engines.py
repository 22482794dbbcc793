"""A registry on a store in memory, running for the length of a test."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from subsessiond.engine.registry import Registry
from subsessiond.model.commands import Caller, OpenRoot
from subsessiond.model.effects import AnyEffect
from subsessiond.model.ids import NodeId
from subsessiond.model.tree import Tree
from tests.support.memory_store import MemoryStore
from tests.support.playbook import id_of
from tests.support.policies import a_policy


class Engine:
    """A registry, its store, and the effects it let begin."""

    def __init__(self, tree: Tree | None = None, store: Any = None) -> None:
        self.store = store or MemoryStore()
        self.effects: list[AnyEffect] = []
        self.registry = Registry(tree or Tree(), a_policy(), self.store, self.effects.append)
        self.numbers = iter(range(1, 1_000_000))

    def open_root(self) -> OpenRoot:
        """Make a command that always succeeds."""
        return OpenRoot(
            at_ms=1,
            awake_ms=1,
            caller=Caller(),
            new_id=id_of(next(self.numbers)),
            workspace="/project",
        )

    async def root(self) -> NodeId:
        """Open a root and give its id."""
        reply: Any = await self.registry.submit(self.open_root())
        return NodeId(reply.node_id)


@asynccontextmanager
async def engine(store: Any = None) -> AsyncIterator[Engine]:
    """Run a registry."""
    made = Engine(store=store)
    running = asyncio.create_task(made.registry.run())
    try:
        yield made
    finally:
        made.registry.stop()
        await asyncio.wait((running,))
