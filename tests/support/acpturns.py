"""Turns of an ACP session whose agent answers when a test says so."""

import asyncio
from typing import Any

from subsessiond.adapters.runners.acp.connection import Connection
from subsessiond.adapters.runners.acp.metering import Metering
from subsessiond.adapters.runners.acp.toolcalls import ToolCalls
from subsessiond.adapters.runners.acp.turns import Memory, Turns
from subsessiond.adapters.runners.frames import parse
from subsessiond.adapters.runners.mailbox import Mailbox
from subsessiond.adapters.runners.refusals import Refusals
from subsessiond.adapters.runners.saying import Said
from subsessiond.adapters.runners.signs import Signs
from subsessiond.model.commands import Caller, EndTurn, Steer
from subsessiond.model.role import UsageOf
from tests.support.stage import Stage

END = {"stopReason": "end_turn"}


class Play:
    """Turns with an agent that answers when the test says so."""

    def __init__(self, here: Stage, node_id: Any, *, merges: bool) -> None:
        self.here = here
        self.node_id = node_id
        self.prompts: asyncio.Queue[tuple[int, str]] = asyncio.Queue()
        self.cancels = 0
        self.connection = Connection(self.write, self)
        self.memory = Memory(
            mailbox=Mailbox(here.voice, node_id),
            calls=ToolCalls(),
            signs=Signs(here.voice, node_id, apart_s=0),
            refusals=Refusals(),
            metering=Metering(here.voice, node_id, UsageOf.TURN),
        )
        self.turns = Turns(self.connection, self.memory, self.end_turn, merges=merges)
        self.living = asyncio.ensure_future(self.turns.live("s", "Do it."))

    async def write(self, line: bytes) -> None:
        frame = parse(line)
        if frame["method"] == "session/cancel":
            self.cancels += 1
        else:
            assert frame["params"]["sessionId"] == "s"
            self.prompts.put_nowait((frame["id"], frame["params"]["prompt"][0]["text"]))

    async def answer(self, method: str, params: dict[str, Any]) -> Any:
        raise AssertionError(method)

    def hear(self, method: str, params: dict[str, Any]) -> None:
        raise AssertionError(method)

    def end_turn(self) -> None:
        self.here.voice.tell(EndTurn(node=self.node_id, **self.here.voice.now()))

    async def prompted(self) -> tuple[int, str]:
        """Wait for the next prompt."""
        async with asyncio.timeout(5):
            return await self.prompts.get()

    async def end(self, prompt_id: int, result: Any = END) -> None:
        """Answer a prompt."""
        await self.connection.take({"id": prompt_id, "result": result})

    async def fail(self, prompt_id: int) -> None:
        """Answer a prompt with an error."""
        error = {"code": -32603, "message": "API Error: 529"}
        await self.connection.take({"id": prompt_id, "error": error})

    async def steer(self, text: str) -> str:
        """Stage a message for the child."""
        command = Steer(node=self.node_id, text=text, caller=Caller(), **self.here.voice.now())
        return str((await self.here.registry.submit(command)).message_id)  # type: ignore[union-attr]

    def say(self, text: str, name: str | None = None) -> asyncio.Task[bool]:
        """Say something, as the executor does."""
        return asyncio.ensure_future(self.turns.say(Said(text, name)))

    async def idle(self) -> None:
        """Wait until everything under way has come to rest."""
        for _ in range(10):
            await asyncio.sleep(0)
        await self.here.settled_queue()

    def turn_ends(self) -> int:
        """Count the turns of which it was told that nothing more is to be said."""
        return len(self.here.told(EndTurn))
