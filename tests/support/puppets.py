"""Children whose runner does as the test says, and an engine that runs them with its executor."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from subsessiond.adapters.ids import RandomIds
from subsessiond.engine.channels import Channels
from subsessiond.engine.executor import Executor
from subsessiond.engine.journaling import Journaling
from subsessiond.engine.registry import Answer, Registry
from subsessiond.engine.tokens import Tokens
from subsessiond.engine.voice import EngineVoice
from subsessiond.model.commands import (
    Caller,
    Cancel,
    Command,
    ConfirmStart,
    EndChild,
    OpenRoot,
    Spawn,
    SubmitReport,
)
from subsessiond.model.decision import Admitted, Opened
from subsessiond.model.events import AnyEvent
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node, Status, StopReason
from subsessiond.model.process import Stopped
from subsessiond.model.report import Outcome, Report, Stage
from subsessiond.model.role import AgentProfile
from subsessiond.model.tree import Tree
from subsessiond.ports import ChildOrder, Voice
from tests.support.listed_journals import ListedJournals
from tests.support.manual_clock import ManualClock
from tests.support.memory_store import MemoryStore
from tests.support.policies import a_policy, brief

PUPPET = AgentProfile(name="actor", runner="puppet", takes_steer=True, env=(("A", "1"),))


class Puppet:
    """One child: it starts, then does nothing until the test lets go of it."""

    def __init__(self, order: ChildOrder, voice: Voice) -> None:
        self.order = order
        self.voice = voice
        self.begun = asyncio.Event()
        self.end = asyncio.Event()
        self.stop_called = asyncio.Event()
        self.may_stop = asyncio.Event()
        self.may_stop.set()
        self.hurried = asyncio.Event()
        self.read = asyncio.Event()
        self.said: list[str] = []
        self.wakes = 0
        self.stops = 0
        self.run_fault: Exception | None = None
        self.stop_fault: Exception | None = None
        self.prompt_fault: Exception | None = None
        self.wake_fault: Exception | None = None
        self.stopped = Stopped()

    async def run(self) -> None:
        """Start, and wait for the end or the fault."""
        node = self.order.node.node_id
        await self.voice.ask(ConfirmStart(node=node, **self.voice.now()))
        self.begun.set()
        if self.run_fault is None:
            await self.end.wait()
        else:
            raise self.run_fault

    async def prompt(self, message_id: str | None, text: str) -> bool:
        """Keep it, and wait until it is read."""
        self.said.append(text)
        if self.prompt_fault is not None:
            raise self.prompt_fault
        await self.read.wait()
        return message_id is not None

    def wake(self) -> None:
        """Count."""
        self.wakes += 1
        if self.wake_fault is not None:
            raise self.wake_fault

    async def stop(self, *, hurry: bool = False) -> Stopped:
        """End, once the test allows it or somebody hurries."""
        self.stops += 1
        self.stop_called.set()
        if hurry:
            self.hurried.set()
            self.may_stop.set()
        if self.stop_fault is not None:
            raise self.stop_fault
        await self.may_stop.wait()
        self.end.set()
        return self.stopped


class PuppetRunner:
    """Makes puppets; `fault` is raised by the next start."""

    def __init__(self) -> None:
        self.puppets: dict[NodeId, Puppet] = {}
        self.made = 0
        self.fault: Exception | None = None
        self.prepare: Any = lambda _puppet: None

    def start(self, order: ChildOrder, voice: Voice) -> Puppet:
        """Make one."""
        if self.fault is not None:
            raise self.fault
        self.made += 1
        puppet = self.puppets[order.node.node_id] = Puppet(order, voice)
        self.prepare(puppet)
        return puppet


class Theatre:
    """A whole engine: registry, executor and journaling, with puppets for children."""

    def __init__(self, tasks: asyncio.TaskGroup) -> None:
        self.tasks = tasks
        self.store = MemoryStore()
        self.clock = ManualClock()
        self.ids = RandomIds()
        self.tokens = Tokens()
        self.runner = PuppetRunner()
        self.journals = ListedJournals()
        self.journaling = Journaling(self.journals, self.store)
        self.executor = Executor(
            {"puppet": self.runner}, self.clock, self.ids, self.tokens, self.environment
        )
        self.policy = a_policy(agents=(PUPPET,), spawn_burst=100, live_per_parent=None)
        self.registry = Registry(Tree(), self.policy, self.store, self.executor.perform)
        self.voice = EngineVoice(self.registry, self.clock, self.ids, Channels())
        self.executor.bind(self.registry, self.journaling, self.voice, tasks)
        self.root = NodeId("")

    def environment(
        self, node: Node, token: str, extra: tuple[tuple[str, str], ...]
    ) -> tuple[tuple[str, str], ...]:
        """Build an environment that shows what it was built from."""
        return (*extra, ("NODE", node.node_id), ("TOKEN", token))

    async def open(self) -> None:
        """Open the root."""
        self.root = self.ids.node_id()
        command = OpenRoot(
            new_id=self.root, workspace="/project", caller=Caller(), **self.voice.now()
        )
        assert isinstance(await self.registry.submit(command), Opened)

    async def admit(self, parent: NodeId | None = None, role: str = "worker") -> NodeId:
        """Admit a child; its start has been asked for when this returns."""
        command = Spawn(
            new_id=self.ids.node_id(),
            parent=parent or self.root,
            role=role,
            brief=brief(),
            caller=Caller(),
            **self.voice.now(),
        )
        reply = await self.registry.submit(command)
        assert isinstance(reply, Admitted), reply
        return command.new_id

    async def hire(self, parent: NodeId | None = None, role: str = "worker") -> Puppet:
        """Admit a child and wait until it runs."""
        puppet = self.runner.puppets[await self.admit(parent, role)]
        await puppet.begun.wait()
        return puppet

    def node(self, node_id: NodeId) -> Node:
        """Give a node as it stands."""
        return self.registry.tree.nodes[node_id]

    async def ask(self, command: Command) -> Answer:
        """Say something and wait until it is durable."""
        return await self.registry.ask(command)

    async def wait_status(self, node_id: NodeId, status: Status) -> Node:
        """Wait until a node has come so far."""
        await self.wait_for(lambda tree: tree.nodes[node_id].status is status)
        return self.node(node_id)

    async def wait_for(self, condition: Any) -> None:
        """Wait until something is true of the published tree."""
        came = asyncio.Event()

        def look(_events: tuple[AnyEvent, ...], tree: Tree) -> None:
            if condition(tree):
                came.set()

        forget = self.registry.listen(look)
        look((), self.registry.tree)
        try:
            async with asyncio.timeout(10):
                await came.wait()
        finally:
            forget()


@asynccontextmanager
async def theatre() -> AsyncIterator[Theatre]:
    """Run an engine for the length of a block; what still lives is abandoned at its end."""
    async with asyncio.TaskGroup() as tasks:
        made = Theatre(tasks)
        tasks.create_task(made.registry.run())
        tasks.create_task(made.journaling.run())
        await made.open()
        yield made
        made.executor.abandon()
        made.registry.stop()
        made.journaling.stop()


def ended(here: Theatre, node_id: NodeId) -> EndChild:
    """Say that a run is over."""
    return EndChild(
        node=node_id,
        outcome=Outcome.FAILED,
        stop_reason=StopReason.ERROR,
        reason="test",
        **here.voice.now(),
    )


def final(here: Theatre, node_id: NodeId) -> SubmitReport:
    """Make a child's final."""
    return SubmitReport(
        node=node_id,
        report=Report(stage=Stage.FINAL, output="done", outcome=Outcome.COMPLETED),
        fingerprint="f",
        size_bytes=4,
        caller=Caller(node_id=node_id),
        **here.voice.now(),
    )


def cancel(here: Theatre, node_id: NodeId) -> Cancel:
    """Cancel a node."""
    return Cancel(node=node_id, caller=Caller(), **here.voice.now())


async def turns(count: int = 20) -> None:
    """Let everything go on that can."""
    for _ in range(count):
        await asyncio.sleep(0)
