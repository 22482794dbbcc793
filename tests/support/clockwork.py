"""The real engine with real runners on a clock that a test moves: registry, executor, ticker."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from subsessiond.adapters.ids import RandomIds
from subsessiond.adapters.processes import LinuxProcesses
from subsessiond.adapters.runners.command import CommandRunner
from subsessiond.adapters.runners.scripted import ScriptedRunner
from subsessiond.adapters.workspace import DiskWorkspace
from subsessiond.engine.channels import Channels
from subsessiond.engine.executor import Executor
from subsessiond.engine.journaling import Journaling
from subsessiond.engine.registry import Registry
from subsessiond.engine.ticker import Ticker
from subsessiond.engine.tokens import Tokens
from subsessiond.engine.voice import EngineVoice
from subsessiond.model.commands import Caller, OpenRoot, Spawn, Steer, Succeed
from subsessiond.model.decision import Accepted
from subsessiond.model.events import AnyEvent
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node, Status
from subsessiond.model.planned import PlannedPaths
from subsessiond.model.policy import Policy
from subsessiond.model.tree import Tree
from subsessiond.ports import Runner
from subsessiond.rpc.schema import schema_fault
from tests.support.closing import marked
from tests.support.listed_journals import ListedJournals
from tests.support.manual_clock import ManualClock
from tests.support.memory_store import MemoryStore
from tests.support.policies import brief
from tests.support.transcripts import ListedTranscripts
from tests.support.yard import script

COMES_S = 20.0
"""How long something may take that real processes and the loop have to do."""


class Clockwork:
    """An engine whose time passes by `pass_ms` alone."""

    def __init__(
        self, tasks: asyncio.TaskGroup, policy: Policy, folder: Path, extra: dict[str, Runner]
    ) -> None:
        self.clock = ManualClock()
        self.ids = RandomIds()
        self.store = MemoryStore()
        self.folder = folder
        self.processes = LinuxProcesses(container="descent", term_grace_ms=300)
        self.workspace = DiskWorkspace()
        runners: dict[str, Runner] = {
            "command": CommandRunner(self.processes, ListedTranscripts()),
            "scripted": ScriptedRunner(self.ids, self.workspace, schema_fault),
        }
        self.executor = Executor(
            runners | extra, self.clock, self.ids, Tokens(), lambda *given: environment(given[0])
        )
        self.registry = Registry(Tree(), policy, self.store, self.executor.perform)
        self.journaling = Journaling(ListedJournals(), self.store)
        self.voice = EngineVoice(self.registry, self.clock, self.ids, Channels())
        self.executor.bind(self.registry, self.journaling, self.voice, tasks)
        self.ticker = Ticker(self.registry, self.clock, self.store)
        self.root = NodeId("")

    async def open(self) -> None:
        """Open the root."""
        self.root = self.ids.node_id()
        await self.registry.submit(
            OpenRoot(
                new_id=self.root, workspace=str(self.folder), caller=Caller(), **self.voice.now()
            )
        )

    async def spawn(
        self,
        role: str,
        *steps: dict[str, Any],
        argv: tuple[str, ...] = (),
        owns: tuple[str, ...] = (),
        parent: NodeId | None = None,
    ) -> NodeId:
        """Admit a child that plays these steps or runs this program."""
        command = Spawn(
            new_id=self.ids.node_id(),
            parent=parent or self.root,
            role=role,
            brief=brief(owns, mission=script(*steps), token_cap=20_000 if parent else None),
            paths=PlannedPaths(owns=owns, spelled=owns),
            argv=argv,
            caller=Caller(),
            **self.voice.now(),
        )
        reply: Any = await self.registry.submit(command)
        assert getattr(reply, "node_id", None) == command.new_id, reply
        return command.new_id

    async def succeed(self, node: NodeId) -> Any:
        """Hire a successor: this begins with a sweep."""
        command = Succeed(
            new_id=self.ids.node_id(), predecessor=node, caller=Caller(), **self.voice.now()
        )
        return await self.registry.submit(command)

    async def steer(self, node: NodeId, text: str) -> None:
        """Say something to a child."""
        reply = await self.registry.submit(
            Steer(node=node, text=text, caller=Caller(), **self.voice.now())
        )
        assert isinstance(reply, Accepted), reply

    def node(self, node: NodeId) -> Node:
        """Give a node as it stands."""
        return self.registry.tree.nodes[node]

    async def pass_ms(self, ms: int) -> None:
        """Let time pass, and let what it caused be done."""
        await self.clock.move(ms)
        for _ in range(20):
            await asyncio.sleep(0)

    async def until(self, node: NodeId, holds: Callable[[Node], bool]) -> Node:
        """Wait until something is true of a node."""
        came = asyncio.Event()

        def look(_events: tuple[AnyEvent, ...], tree: Tree) -> None:
            if holds(tree.nodes[node]):
                came.set()

        forget = self.registry.listen(look)
        look((), self.registry.tree)
        try:
            async with asyncio.timeout(COMES_S):
                await came.wait()
        finally:
            forget()
        return self.node(node)

    async def running(self, node: NodeId) -> Node:
        """Wait until a child runs and has given its first sign beside its start."""
        return await self.until(
            node, lambda n: n.status is Status.RUNNING and n.last_sign not in ("", "start")
        )

    async def released(self, node: NodeId) -> Node:
        """Wait until nothing is left of a child."""
        return await self.until(node, lambda n: n.status is Status.RELEASED)


def environment(node: Node) -> tuple[tuple[str, str], ...]:
    """Give a child what it needs to be found and to find programs."""
    return (("PATH", os.environ["PATH"]), ("SUBSESSION_NODE", node.node_id))


@asynccontextmanager
async def clockwork(policy: Policy, folder: Path, **extra: Runner) -> AsyncIterator[Clockwork]:
    """Run an engine for the length of a block; every child is stopped at its end."""
    async with asyncio.TaskGroup() as tasks:
        made = Clockwork(tasks, policy, folder, extra)
        tasks.create_task(made.registry.run())
        tasks.create_task(made.journaling.run())
        await made.open()
        ticking = tasks.create_task(made.ticker.run())
        await made.clock.wait_sleepers()
        try:
            yield made
        finally:
            ticking.cancel()
            made.executor.kill()
            made.executor.abandon()
            made.registry.stop()
            made.journaling.stop()
            await made.processes.aclose()
            assert marked(made.registry.tree.nodes) == {}
            made.workspace.close()
