"""Every runner under the same tests: each kind of child that the tests need, made for each."""

import asyncio
import json
import sys
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest

from subsessiond.adapters.processes import LinuxProcesses
from subsessiond.adapters.runners.acp.runner import AcpRunner
from subsessiond.adapters.runners.agentprocess import Host
from subsessiond.adapters.runners.claude.runner import ClaudeRunner
from subsessiond.adapters.runners.command import CommandRunner
from subsessiond.adapters.runners.external import ExternalRunner
from subsessiond.adapters.runners.scripted import ScriptedRunner
from subsessiond.model.commands import ConfirmStart, FailStart
from subsessiond.model.process import Stopped
from subsessiond.model.role import AgentProfile, Channel, McpBy
from subsessiond.ports import ChildOrder, Runner, RunnerFault, RunningChild
from subsessiond.rpc.schema import schema_fault
from tests.support.agents.noting import noting
from tests.support.joining import Joined, Joiner, joiner
from tests.support.policies import ACTOR
from tests.support.stage import Stage, stage
from tests.support.transcripts import ListedTranscripts

LONG_MS = 60_000
ROOT = Path(__file__).parents[3]


class Case(ABC):
    """One kind of runner, and children of it."""

    kills = True
    """Whether it ends what does not leave when it is asked."""

    def __init__(self, here: Stage) -> None:
        self.stage = here

    @abstractmethod
    async def ending(self) -> RunningChild:
        """Make a child that ends by itself."""

    @abstractmethod
    async def lasting(self) -> RunningChild:
        """Make a child that lives until it is stopped."""

    @abstractmethod
    async def stubborn(self) -> RunningChild:
        """Make a child that takes all the grace there is when it is stopped."""

    @abstractmethod
    async def why_not(self) -> str:
        """Try to run a child that cannot be run, and give the words of its runner."""

    @abstractmethod
    async def under_way(self) -> None:
        """Wait until the last child is surely under way."""


class Commands(Case):
    """Real programs in real containers."""

    def __init__(self, here: Stage, processes: LinuxProcesses) -> None:
        super().__init__(here)
        self.runner = CommandRunner(processes, ListedTranscripts())

    async def _make(self, script: str) -> RunningChild:
        return self.runner.start(await self.stage.command("sh", "-c", script), self.stage.voice)

    async def ending(self) -> RunningChild:
        """A program that prints and exits."""
        return await self._make("echo done")

    async def lasting(self) -> RunningChild:
        """A program that sleeps."""
        return await self._make("touch begun; exec sleep 600")

    async def stubborn(self) -> RunningChild:
        """A program that ignores TERM."""
        return await self._make("trap '' TERM; touch begun; while :; do sleep 600; done")

    async def why_not(self) -> str:
        """A program that is not there."""
        order = await self.stage.command("no-such-thing")
        child = self.runner.start(order, self.stage.voice)
        await child.run()
        assert await child.stop() == Stopped()
        (failed,) = self.stage.told(FailStart)
        return str(failed.why)

    async def under_way(self) -> None:
        """Wait for the program's own sign."""
        while not (self.stage.folder / "begun").exists():  # noqa: ASYNC110 -- a file tells nobody
            await asyncio.sleep(0.005)


class Scripts(Case):
    """Scripts played in this process."""

    def __init__(self, here: Stage) -> None:
        super().__init__(here)
        self.runner = ScriptedRunner(here.ids, here.workspace, schema_fault)

    async def _order(self, *steps: dict[str, Any]) -> ChildOrder:
        text = msgspec.json.encode({"steps": steps}).decode()
        return await self.stage.order(ACTOR, role="worker", mission=text)

    async def ending(self) -> RunningChild:
        """A script that ends."""
        order = await self._order({"end": {"outcome": "completed", "stopReason": "completed"}})
        return self.runner.start(order, self.stage.voice)

    async def lasting(self) -> RunningChild:
        """A script that waits."""
        return self.runner.start(await self._order({"awaitPrompt": None}), self.stage.voice)

    stubborn = lasting

    async def why_not(self) -> str:
        """A script that is none."""
        profile = AgentProfile(name="actor", runner="scripted", command=("/no-such-thing",))
        order = await self.stage.order(profile, role="worker")
        with pytest.raises(RunnerFault) as caught:
            self.runner.start(order, self.stage.voice)
        return str(caught.value)

    async def under_way(self) -> None:
        """Wait until its start is durable."""
        await self.stage.settled_queue()


class Acting(Case):
    """Stub agents that speak the Agent Client Protocol."""

    name = "acp"
    end = ("error", {"code": 1, "message": "no"})
    fields: ClassVar[dict[str, Any]] = {"channel": Channel.CLI}
    """Of its profile."""
    manners: ClassVar[dict[str, Any]] = {}
    """Of its script."""

    def __init__(self, here: Stage, processes: LinuxProcesses) -> None:
        super().__init__(here)
        scratch = here.folder.parent / f"{here.folder.name}-scratch"
        host = Host(processes, ListedTranscripts(), ("shim",), "/s", scratch)
        self.runner: Runner = self._runner(host)

    def _runner(self, host: Host) -> Runner:
        return AcpRunner(host)

    async def _make(self, *steps: dict[str, Any], **script: Any) -> RunningChild:
        words = json.dumps(self.manners | script | {"turns": [steps]})
        command = (sys.executable, "-m", f"tests.support.agents.{self.name}_agent", words)
        profile = AgentProfile(name="actor", runner=self.name, command=command, **self.fields)
        env = (*self.stage.environment().items(), ("PYTHONPATH", str(ROOT)))
        return self.runner.start(
            await self.stage.order(profile, env, role="worker"), self.stage.voice
        )

    async def ending(self) -> RunningChild:
        """An agent whose turn ends with an error."""
        return await self._make(dict([self.end]))

    async def lasting(self) -> RunningChild:
        """An agent in its turn."""
        return await self._make({"touch": "begun"}, {"until_cancel": 1}, {"hang": 1})

    async def stubborn(self) -> RunningChild:
        """An agent that hears neither the end of its input nor TERM."""
        steps = ({"touch": "begun"}, {"until_cancel": 1}, {"hang": 1})
        return await self._make(*steps, start=[{"deaf": 1}])

    async def why_not(self) -> str:
        """A program that is not there."""
        profile = AgentProfile(name="actor", runner=self.name, command=("no-such-thing",))
        child = self.runner.start(await self.stage.order(profile, role="worker"), self.stage.voice)
        await child.run()
        assert await child.stop() == Stopped()
        (failed,) = self.stage.told(FailStart)
        return str(failed.why)

    async def under_way(self) -> None:
        """Wait for the agent's own sign."""
        while not (self.stage.folder / "begun").exists():  # noqa: ASYNC110 -- a file tells nobody
            await asyncio.sleep(0.005)


class Addressed(Acting):
    """Such agents that take our MCP server by its address alone, and list its tools."""

    fields: ClassVar[dict[str, Any]] = {"mcp_by": McpBy.HTTP}
    manners: ClassVar[dict[str, Any]] = {"http_alone": True}
    address = ""

    def listed(self) -> None:
        """Know that an agent has listed our tools."""
        for node_id in self.stage.registry.tree.nodes:
            self.stage.channels.note(node_id)

    def _runner(self, host: Host) -> Runner:
        return AcpRunner(host._replace(mcp_address=self._where))

    async def _where(self) -> str:
        return self.address


class Claude(Acting):
    """Stub agents that speak as Claude Code does."""

    name = "claude"
    end = ("result", {"is_error": True})

    def _runner(self, host: Host) -> Runner:
        return ClaudeRunner(host)


class Joining(Case):
    """Real processes that nobody here started for their node: they are attached while it runs."""

    kills = False

    def __init__(self, here: Stage, processes: LinuxProcesses, joiner: Joiner) -> None:
        super().__init__(here)
        self.runner = ExternalRunner(processes.guests, ListedTranscripts(), LONG_MS)
        self._joiner = joiner

    async def _make(self, script: str) -> RunningChild:
        profile = AgentProfile(name="guest", runner="external", may_stop=True)
        order = await self.stage.order(profile, role="joined")
        child = self.runner.start(order, self.stage.voice)
        return Joined(self._joiner, child, order.node.node_id, script)

    async def ending(self) -> RunningChild:
        """A process that exits."""
        return await self._make("exit 3")

    async def lasting(self) -> RunningChild:
        """A process that stays."""
        return await self._make("touch begun; exec sleep 600")

    async def stubborn(self) -> RunningChild:
        """A process that ignores TERM, and is not killed for it."""
        return await self._make("trap '' TERM; touch begun; while :; do sleep 600; done")

    async def why_not(self) -> str:
        """A system on which nobody can be attached."""
        profile = AgentProfile(name="no-such-thing", runner="external")
        order = await self.stage.order(profile, role="joined")
        with pytest.raises(RunnerFault) as caught:
            ExternalRunner(None, ListedTranscripts(), LONG_MS).start(order, self.stage.voice)
        return f"no-such-thing: {caught.value}"

    async def under_way(self) -> None:
        """Wait for the process's own sign, and for the start that its runner tells."""
        while not (self.stage.folder / "begun").exists():  # noqa: ASYNC110 -- a file tells nobody
            await asyncio.sleep(0.005)
        while not self.stage.told(ConfirmStart):  # noqa: ASYNC110 -- nor does a list
            await asyncio.sleep(0.005)


@pytest.fixture(params=["command", "scripted", "acp", "acp by http", "claude", "external"])
async def case(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Case]:
    """Give one runner."""
    async with stage(tmp_path, spawn_burst=100, live_per_parent=None) as here:
        if request.param == "scripted":
            yield Scripts(here)
            return
        processes = LinuxProcesses(container="descent", term_grace_ms=LONG_MS)
        if request.param == "acp by http":
            addressed = Addressed(here, processes)
            async with noting(tmp_path / "notes", addressed.listed) as addressed.address:
                yield addressed
        elif request.param == "external":
            with joiner(here) as made:
                yield Joining(here, processes, made)
        else:
            cases: dict[str, type[Commands | Acting]] = {
                "command": Commands,
                "acp": Acting,
                "claude": Claude,
            }
            yield cases[request.param](here, processes)
        await processes.aclose()
