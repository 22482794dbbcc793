"""The messages of one connection: begun in their order, run side by side, bounded in number."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

from subsessiond.model.commands import Caller
from subsessiond.model.rejection import Rejection
from subsessiond.rpc.call import Call
from subsessiond.rpc.connection import Connection, Pipe
from subsessiond.rpc.dispatch import Answers
from subsessiond.rpc.lane import Lane
from subsessiond.rpc.refused import Refused
from subsessiond.rpc.running import Running

IN_FLIGHT_MOST: Final = 128
"""Calls of one connection that may run at once. More wait in the socket, unread."""

AT_ONCE_MOST: Final = 64
"""Calls begun where they were read before others get their turn of the loop: 1 to 2 ms of work."""

Identify = Callable[[], Awaitable[Caller] | Caller]
"""Tells who is calling; may raise `Refused`."""


class Speaker(Protocol):
    """Knows what messages mean."""

    def split(self, raw: bytes, call: Call) -> Answers:
        """Read one message and split it into calls. Never waits; begins nothing."""

    def refuse(self, raw: bytes, rejection: Rejection) -> bytes | None:
        """Answer every call of a message with one refusal, running none of them."""


class Flow:
    """Takes messages, answers them through the connection it holds."""

    def __init__(self, pipe: Pipe, speaker: Speaker, identify: Identify, running: Running) -> None:
        self._speaker = speaker
        self._identify = identify
        self._lane = Lane(running)
        self._call: Call | None = None
        self._in_flight = 0
        self._at_once = 0
        self._room: asyncio.Future[None] | None = None
        self.connection = Connection(pipe, running, self._wake_reader)

    async def take(self, raw: bytes) -> None:
        """Begin what a message asks for; returns when there is room for the next one."""
        await self._begin(raw)
        if self._at_once >= AT_ONCE_MOST:
            self._at_once = 0
            await asyncio.sleep(0)
        while self._in_flight >= IN_FLIGHT_MOST or self.connection.is_behind:
            await self._wait_for_room()

    def close(self) -> None:
        """Drop what was not begun, and what waits to be sent; idempotent."""
        self.connection.close()
        self._lane.close()

    async def _begin(self, raw: bytes) -> None:
        try:
            caller = self._identify()
            if not isinstance(caller, Caller):
                caller = await caller
        except Refused as refused:
            self.say(self._speaker.refuse(raw, refused.rejection))
            return
        if self._call is None or self._call.caller is not caller:
            self._call = Call(caller, self.connection)
        answers = self._speaker.split(raw, self._call)
        self._in_flight += len(answers.calls)
        if answers.is_batch:
            self._begin_batch(answers)
        elif answers.calls:
            self._at_once += answers.at_once
            self._lane.add(self._answer(answers.calls[0]), at_once=answers.at_once)
        else:
            self.say(answers.ready)

    def _begin_batch(self, answers: Answers) -> None:
        said: list[bytes | None] = [None] * len(answers.calls)
        waiting = len(said)

        async def answer(place: int, call: Awaitable[bytes | None]) -> None:
            nonlocal waiting
            try:
                said[place] = await call
            finally:
                waiting -= 1
                self._make_room()
            if waiting == 0:
                self.say(answers.join(said))

        for place, call in enumerate(answers.calls):
            self._lane.add(answer(place, call))

    async def _answer(self, call: Awaitable[bytes | None]) -> None:
        try:
            reply = await call
        finally:
            self._make_room()
        self.say(reply)

    def say(self, reply: bytes | None) -> None:
        """Send a reply; none is no reply."""
        if reply is not None and not self.connection.closed:
            self.connection.reply(reply)

    async def _wait_for_room(self) -> None:
        self._room = asyncio.get_running_loop().create_future()
        try:
            await self._room
        finally:
            self._room = None

    def _make_room(self) -> None:
        self._in_flight -= 1
        self._wake_reader()

    def _wake_reader(self) -> None:
        if self._room is not None and not self._room.done():
            self._room.set_result(None)
