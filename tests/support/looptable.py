"""Children of the `model` runner on a stage, with a model server between them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from subsessiond.adapters.runners.model.child import ModelChild
from subsessiond.adapters.runners.model.runner import ModelRunner
from subsessiond.model.commands import EndChild, NoteUsage
from subsessiond.model.role import AgentProfile
from subsessiond.model.usage import Usage
from subsessiond.ports import Processes
from tests.support.childtools import StageTools
from tests.support.modelstub import Stub, script
from tests.support.stage import Stage
from tests.support.transcripts import ListedTranscripts

SECRET = "sk-a-key-that-nobody-may-see"


class LoopTable:
    """A stub, a stage, and children between them."""

    def __init__(self, here: Stage, processes: Processes, stub: Stub) -> None:
        self.here = here
        self.stub = stub
        self.tools = StageTools(here.voice)
        self.transcripts = ListedTranscripts()
        self._runner = ModelRunner(
            processes, self.tools, self.transcripts, {"KEY": SECRET}, first_wait_ms=1
        )
        self.children: list[ModelChild] = []

    async def child(
        self, *steps: dict[str, Any], dialect: str = "openai", role: str = "worker", **more: Any
    ) -> ModelChild:
        """Make a child whose model plays these steps; what else is given is of its brief."""
        url = f"{self.stub.url}/v1" if dialect == "openai" else self.stub.url
        profile = AgentProfile(
            name="loop",
            runner="model",
            endpoint=more.pop("endpoint", url),
            model="stub-model",
            dialect=dialect,
            key_from="KEY",
        )
        when = more.pop("when", None)
        env = tuple(self.here.environment().items())
        order = await self.here.order(
            profile, env, role=role, mission=script(*steps, when=when), **more
        )
        made = self._runner.start(order, self.here.voice)
        self.children.append(made)
        return made

    async def play(self, *steps: dict[str, Any], **more: Any) -> EndChild:
        """Run a child that ends by itself, and give how."""
        child = await self.child(*steps, **more)
        await child.run()
        await self.here.settled_queue()
        (ended,) = self.here.outcomes()
        assert isinstance(ended, EndChild)
        return ended

    def usage(self) -> Usage:
        """Give the last totals that were told."""
        told: NoteUsage = self.here.told(NoteUsage)[-1]
        return told.usage


@asynccontextmanager
async def table(here: Stage, processes: Processes) -> AsyncIterator[LoopTable]:
    """Set the table, and stop every child at the end."""
    async with Stub() as stub:
        made = LoopTable(here, processes, stub)
        yield made
        for child in made.children:
            await child.stop()
