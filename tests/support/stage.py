"""A stage for runners: the real registry on a store in memory, and children made for it.

Nobody carries effects out here: a test holds a runner's child itself and plays the executor's part.
"""

import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from subsessiond.adapters.ids import RandomIds
from subsessiond.adapters.workspace import DiskWorkspace
from subsessiond.core.words import opening_text
from subsessiond.engine.channels import Channels
from subsessiond.engine.registry import Answer
from subsessiond.engine.voice import EngineVoice
from subsessiond.model.commands import (
    Caller,
    ClientCommand,
    Command,
    ConfirmGone,
    EndChild,
    FailStart,
    OpenRoot,
    Spawn,
)
from subsessiond.model.decision import Admitted, Opened
from subsessiond.model.effects import AnyEffect, PromptChild, WakeReader
from subsessiond.model.ids import NodeId
from subsessiond.model.ledger import Part
from subsessiond.model.node import Node
from subsessiond.model.planned import PlannedPaths
from subsessiond.model.role import AgentProfile
from subsessiond.ports import ChildOrder, RunningChild
from tests.support.engines import Engine, engine
from tests.support.manual_clock import ManualClock
from tests.support.policies import COMMAND, brief


class HeardVoice(EngineVoice):
    """The voice of a runner, which keeps what was told."""

    told: list[Command]
    shown: list[tuple[NodeId, int, Sequence[Part]]]

    def show(self, reader: NodeId, size: int, parts: Sequence[Part]) -> None:
        """Hear what a parent is shown."""
        self.shown.append((reader, size, parts))

    def tell(self, command: Command) -> None:
        """Hear it, and say it."""
        self.told.append(command)
        super().tell(command)

    async def tell_made(self, make: Callable[[], Command]) -> None:
        """Hear what is made, and say it."""

        def heard() -> Command:
            command = make()
            self.told.append(command)
            return command

        await super().tell_made(heard)

    async def ask(self, command: Command) -> Answer:
        """Hear it, and ask it."""
        self.told.append(command)
        return await super().ask(command)

    async def submit(self, command: ClientCommand) -> Answer:
        """Hear it, and submit it."""
        self.told.append(command)
        return await super().submit(command)


class Stage:
    """Makes orders for children of one root, and looks at what became of them."""

    def __init__(self, made: Engine, folder: Path) -> None:
        self.engine = made
        self.registry = made.registry
        self.folder = folder
        self.clock = ManualClock()
        self.ids = RandomIds()
        self.workspace = DiskWorkspace()
        self.channels = Channels()
        self.voice = HeardVoice(made.registry, self.clock, self.ids, self.channels)
        self.voice.told = []
        self.voice.shown = []
        self.root = NodeId("")

    async def open(self) -> None:
        """Open the root."""
        command = OpenRoot(
            new_id=self.ids.node_id(),
            workspace=str(self.folder),
            caller=Caller(),
            **self.voice.now(),
        )
        assert isinstance(await self.registry.submit(command), Opened)
        self.root = command.new_id

    async def admit(
        self, *, role: str, argv: tuple[str, ...] = (), owns: tuple[str, ...] = (), **fields: Any
    ) -> NodeId:
        """Admit a child below the root; further fields go into its brief."""
        command = Spawn(
            new_id=self.ids.node_id(),
            parent=self.root,
            role=role,
            brief=brief(owns, **fields),
            paths=PlannedPaths(owns=owns, spelled=owns),
            argv=argv,
            caller=Caller(),
            **self.voice.now(),
        )
        reply = await self.registry.submit(command)
        assert isinstance(reply, Admitted), reply
        return command.new_id

    async def order(
        self, profile: AgentProfile, env: tuple[tuple[str, str], ...] = (), **fields: Any
    ) -> ChildOrder:
        """Admit a child and make what its runner is given."""
        node = self.node(await self.admit(**fields))
        return ChildOrder(
            node=node, profile=profile, opening=opening_text(node), env=env, token="t"
        )

    async def command(
        self, *argv: str, profile: AgentProfile = COMMAND, **fields: Any
    ) -> ChildOrder:
        """Make the order of a `command` child that finds programs as the tests do."""
        env = tuple(self.environment().items())
        return await self.order(profile, env, role="check", argv=argv, **fields)

    def environment(self) -> dict[str, str]:
        """Give an environment in which programs are found."""
        return {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}

    def node(self, node_id: NodeId) -> Node:
        """Give a node as it stands."""
        return self.registry.tree.nodes[node_id]

    def told(self, kind: type[Command]) -> list[Any]:
        """Give the commands of one kind that runners told."""
        return [command for command in self.voice.told if isinstance(command, kind)]

    def outcomes(self) -> list[Any]:
        """Give the commands by which runners said how a run ended."""
        return [*self.told(EndChild), *self.told(FailStart)]

    def effects(self, kind: type[AnyEffect]) -> list[Any]:
        """Give the effects of one kind that were asked for."""
        return [effect for effect in self.engine.effects if isinstance(effect, kind)]

    def pass_on(self, child: RunningChild, node_id: NodeId) -> list[PromptChild]:
        """Wake a child whose reader has mail, and give what is to be said to it."""
        mine = [effect for effect in self.engine.effects if effect.node == node_id]
        if any(isinstance(effect, WakeReader) for effect in mine):
            child.wake()
        return [effect for effect in mine if isinstance(effect, PromptChild)]

    async def settled_queue(self) -> None:
        """Wait until everything told so far was decided."""
        gone = ConfirmGone(node=NodeId("nobody"), **self.voice.now())
        answer: Answer = await self.registry.ask(gone)
        assert answer is None


@asynccontextmanager
async def stage(folder: Path, **limits: Any) -> AsyncIterator[Stage]:
    """Set a stage on a folder."""
    async with engine() as made:
        made.registry.policy = replace(
            made.registry.policy, limits=replace(made.registry.policy.limits, **limits)
        )
        here = Stage(made, folder)
        await here.open()
        yield here
        here.workspace.close()
