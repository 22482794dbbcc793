"""One child whose agent is this loop: a request, the tools it asks for, the next request.

Between two requests nothing runs. There, and only there, the child hears what was said to it, and
there it ends once it has settled.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from subsessiond.adapters.runners.mailbox import Mailbox
from subsessiond.adapters.runners.meter import Meter
from subsessiond.adapters.runners.model.ending import (
    Ending,
    fault_ending,
    limit_ending,
    stop_ending,
    unreadable_ending,
)
from subsessiond.adapters.runners.model.hands import Hands
from subsessiond.adapters.runners.model.hearing import Hearing
from subsessiond.adapters.runners.model.retries import is_limit, wait_ms
from subsessiond.adapters.runners.model.shell import Shell
from subsessiond.adapters.runners.model.speech import (
    Call,
    Endpoint,
    Measure,
    ModelFault,
    Said,
    Speaker,
    Stop,
)
from subsessiond.adapters.runners.signs import Signs
from subsessiond.core.bounds import size_bytes
from subsessiond.core.words import ask_blocked, compact
from subsessiond.model.commands import ConfirmStart, EndChild, EndTurn, FailStart, NoteUsage
from subsessiond.model.node import Phase
from subsessiond.model.process import Stopped
from subsessiond.model.report import Outcome
from subsessiond.model.usage import Usage
from subsessiond.ports import (
    ChildOrder,
    ChildTools,
    OfferedTool,
    Processes,
    RunnerFault,
    Transcripts,
    Voice,
)

STEPS_MOST: Final = 200
"""Requests of one turn; a loop that goes nowhere ends here."""

UNREADABLE_MOST: Final = 5
"""Calls in a row that no tool could read."""

DIAGNOSTIC_BYTES: Final = 4_096

MakeSpeaker = Callable[[Endpoint, tuple[OfferedTool, ...], Measure], Awaitable[Speaker]]


class ModelChild:
    """One loop under way.

    Args:
        order: the child.
        voice: hears what becomes of it.
        endpoint: the model that is asked.
        parts: containers, the daemon's own tools, transcripts.
        make: begins a conversation; may fail with RunnerFault.
        first_wait_ms: the first wait after a request that came to nothing.
    """

    def __init__(
        self,
        order: ChildOrder,
        voice: Voice,
        endpoint: Endpoint,
        parts: tuple[Processes, ChildTools, Transcripts],
        make: MakeSpeaker,
        first_wait_ms: int,
    ) -> None:
        processes, tools, transcripts = parts
        self._order = order
        self._node = order.node.node_id
        self._voice = voice
        self._endpoint = endpoint
        self._make = make
        self._first_wait_ms = first_wait_ms
        role = order.node.role
        self._shell = Shell(processes, order, role.tool_timeout_ms if role else 1)
        self._mailbox = Mailbox(voice, self._node)
        self._hearing = Hearing(self._mailbox)
        self._hands = Hands(order.node, self._mailbox, tools, self._shell)
        self._signs = Signs(voice, self._node)
        self._meter = Meter()
        self._transcript = transcripts.open(self._node)
        self._said_bytes = 0
        self._living: asyncio.Task[None] | None = None
        self._stopped = False
        self._told_refusals = False
        """Whether it was told of refusals since somebody else said something."""

    async def run(self) -> None:
        """Ask, work and ask again until the child has settled or cannot go on."""
        if self._stopped:
            return
        self._living = asyncio.ensure_future(self._live())
        try:
            await asyncio.wait((self._living,))
            if not self._living.cancelled():
                self._living.result()
        finally:
            await self._end_living()

    async def prompt(self, message_id: str | None, text: str) -> bool:
        """Hear something before the next request."""
        return await self._hearing.say(message_id, text)

    def wake(self) -> None:
        """Read mail before the next request."""
        self._hearing.wake()

    async def stop(self, *, hurry: bool = False) -> Stopped:
        """End the request or the tool that is under way, and every command it runs."""
        self._stopped = True
        await self._end_living()
        return await self._shell.stop(hurry=hurry)

    async def _end_living(self) -> None:
        if self._living is not None:
            self._living.cancel()
            await asyncio.wait((self._living,))
        self._hearing.close()
        self._signs.close()
        self._transcript.close()

    async def _live(self) -> None:
        try:
            speaker = await self._make(self._endpoint, self._hands.offered, self._measure)
        except RunnerFault as fault:
            now = self._voice.now()
            self._voice.tell(FailStart(node=self._node, why=str(fault), **now))
            return
        try:
            await self._voice.ask(ConfirmStart(node=self._node, **self._voice.now()))
            self._tell(speaker, self._order.opening)
            ending = await self._turns(speaker)
        finally:
            await speaker.aclose()
        if ending is not None:
            self._end(ending)

    async def _turns(self, speaker: Speaker) -> Ending | None:
        while self._mailbox.is_live:
            ending = await self._turn(speaker)
            if ending is not None or not self._mailbox.is_live:
                return ending
            refused = self._hands.take_refusals()
            if refused and not self._told_refusals:
                self._told_refusals = True
                self._tell(speaker, ask_blocked(tuple((r.why, r.blocker) for r in refused)))
                continue
            self._voice.tell(EndTurn(node=self._node, **self._voice.now()))
            for text in await self._hearing.next():
                self._tell(speaker, text)
            self._told_refusals = False
        return None

    async def _turn(self, speaker: Speaker) -> Ending | None:
        """Take steps until the model asks for no tool any more."""
        for _ in range(STEPS_MOST):
            for text in await self._hearing.take():
                self._tell(speaker, text)
            said = await self._ask(speaker)
            if isinstance(said, Ending):
                return said
            if said.stop is not Stop.END:
                return stop_ending(said.stop, self._endpoint.model)
            self._mailbox.note_heard()
            if not said.calls:
                return None
            for call in said.calls:
                await self._do(speaker, call)
            if self._hands.unreadable >= UNREADABLE_MOST:
                return unreadable_ending(self._hands.unreadable)
            if not self._mailbox.is_live:
                return None
        return limit_ending(STEPS_MOST)

    async def _ask(self, speaker: Speaker) -> Said | Ending:
        """Make one request, again where its failure passes."""
        tries = 0
        while True:
            try:
                said = await speaker.ask(self._on_piece)
            except ModelFault as fault:
                tries += 1
                pause_ms = wait_ms(fault, tries, self._first_wait_ms)
                if pause_ms is None:
                    return fault_ending(fault, tries, self._endpoint.model)
                phase = Phase.RATE_LIMITED if is_limit(fault) else Phase.WORKING
                self._signs.note("retry", phase)
                await asyncio.sleep(pause_ms / 1_000)
            else:
                self._note_said(said)
                return said

    def _on_piece(self) -> None:
        self._signs.note("model", Phase.WORKING)

    def _note_said(self, said: Said) -> None:
        calls = [{"tool": call.name, "arguments": call.arguments} for call in said.calls]
        self._said_bytes += size_bytes(said.text) + sum(size_bytes(compact(call)) for call in calls)
        self._transcript.write("out", {"text": said.text, "calls": calls, "stop": said.stop})

    async def _do(self, speaker: Speaker, call: Call) -> None:
        self._signs.note("tool", Phase.IN_TOOL)
        answer = await self._hands.use(call)
        self._signs.note("tool-end", Phase.WORKING)
        self._transcript.write("in", {"tool": call.name, "answer": answer})
        speaker.answer(call, answer)

    def _tell(self, speaker: Speaker, text: str) -> None:
        self._transcript.write("in", text)
        speaker.hear(text)

    def _measure(self, name: str, usage: Usage) -> None:
        self._meter.message(name, usage)
        total = self._meter.total()
        if total is not None:
            self._voice.tell(NoteUsage(node=self._node, usage=total, **self._voice.now()))

    def _end(self, ending: Ending) -> None:
        words = ending.words
        if self._endpoint.key:
            words = words.replace(self._endpoint.key, "(the key)")
        self._voice.tell(
            EndChild(
                node=self._node,
                outcome=Outcome.FAILED,
                stop_reason=ending.stop_reason,
                reason=ending.reason,
                diagnostic=self._voice.scrubber.head(words, DIAGNOSTIC_BYTES),
                produced_bytes=self._said_bytes + self._shell.printed_bytes,
                **self._voice.now(),
            ),
        )
