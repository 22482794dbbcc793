"""Turns of a Claude Code session whose agent tells what a test says."""

import asyncio
from typing import Any

from subsessiond.adapters.runners.claude.control import Control
from subsessiond.adapters.runners.claude.metering import Metering
from subsessiond.adapters.runners.claude.reading import read_line
from subsessiond.adapters.runners.claude.turns import Memory, Turns
from subsessiond.adapters.runners.frames import parse
from subsessiond.adapters.runners.mailbox import Mailbox
from subsessiond.adapters.runners.refusals import Refusals
from subsessiond.adapters.runners.saying import Said
from subsessiond.adapters.runners.signs import Signs
from subsessiond.model.commands import Caller, EndTurn, Steer
from subsessiond.model.process import InputClosed
from tests.support.stage import Stage


class Play:
    """Turns with an agent that shows its model what the test says, when the test says so."""

    def __init__(self, here: Stage, node_id: Any) -> None:
        self.here = here
        self.node_id = node_id
        self.prompts: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
        self.interrupts = 0
        self.is_gone = False
        self.control = Control(self.write, self.answer)
        self.memory = Memory(
            mailbox=Mailbox(here.voice, node_id),
            signs=Signs(here.voice, node_id, apart_s=0),
            refusals=Refusals(),
            metering=Metering(here.voice, node_id),
        )
        self.turns = Turns(self.control, self.memory, self.end_turn)
        self.living = asyncio.ensure_future(self.turns.live("Do it."))

    async def write(self, line: bytes) -> None:
        if self.is_gone:
            raise InputClosed("it left")
        frame = parse(line)
        if frame["type"] == "control_request":
            self.interrupts += 1
        else:
            self.prompts.put_nowait((frame["uuid"], frame["message"]["content"]))

    async def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        raise AssertionError(asked)

    def end_turn(self) -> None:
        self.here.voice.tell(EndTurn(node=self.node_id, **self.here.voice.now()))

    def tell(self, kind: str, **words: Any) -> None:
        """Tell a line."""
        self.turns.hear(read_line({"type": kind, **words}))

    def fate(self, name: str, state: str) -> None:
        """Tell what became of a message."""
        self.tell("command_lifecycle", command_uuid=name, state=state)

    def call(self, name: str) -> None:
        """Tell that a tool is called."""
        content = [{"type": "tool_use", "id": name}]
        self.tell("assistant", message={"content": content})

    async def prompted(self) -> tuple[str, str]:
        """Wait for the next message: its name and text."""
        async with asyncio.timeout(5):
            return await self.prompts.get()

    async def begun(self) -> str:
        """Wait for the next message and show it to the model; gives its text."""
        name, text = await self.prompted()
        self.fate(name, "started")
        return text

    def end(self, **words: Any) -> None:
        """End the turn."""
        self.tell("result", **{"subtype": "success", "stop_reason": "end_turn", **words})

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
