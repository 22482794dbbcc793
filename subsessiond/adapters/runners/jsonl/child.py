"""One headless program under way: it gets its brief once, prints lines, and leaves.

Nothing can be said to it after its start: what it has not read by then rides on the answers of our
tools, and a run that ends without a final cannot be asked for one.
"""

import asyncio

from subsessiond.adapters.runners.agentprocess import WORDS_BYTES, AgentProcess, Host
from subsessiond.adapters.runners.childwords import CheckSchema
from subsessiond.adapters.runners.frames import Frames
from subsessiond.adapters.runners.jsonl.course import Course
from subsessiond.adapters.runners.jsonl.ending import (
    Ending,
    ending_of_closing,
    ending_of_exit,
    ending_of_silence,
)
from subsessiond.adapters.runners.jsonl.final import final_of, submit
from subsessiond.adapters.runners.jsonl.reading import Closing, Reading, read_line
from subsessiond.adapters.runners.meter import Meter
from subsessiond.adapters.runners.signs import Signs
from subsessiond.core.words.closing import closing_refused
from subsessiond.model.commands import (
    ConfirmStart,
    EndChild,
    FailStart,
    NoteUsage,
)
from subsessiond.model.process import Exit, Stopped
from subsessiond.model.report import Outcome
from subsessiond.model.role import Channel, Probe
from subsessiond.model.usage import Usage
from subsessiond.ports import ChildOrder, Voice


class LinesChild:
    """One program under way.

    Args:
        host: what the daemon gives to all agents.
        order: the child.
        voice: hears what becomes of it.
        check_schema: holds the data of a closing result against its brief's schema.
    """

    def __init__(
        self, host: Host, order: ChildOrder, voice: Voice, check_schema: CheckSchema
    ) -> None:
        self._order = order
        self._profile = order.profile
        self._events = order.profile.events
        self._node = order.node.node_id
        self._voice = voice
        self._check_schema = check_schema
        self._process = AgentProcess(host, order, voice)
        self._frames = Frames()
        self._course = Course(in_pieces=self._events.words_in_pieces)
        self._meter = Meter()
        self._measured: Usage | None = None
        self._signs = Signs(voice, self._node)
        self._is_up = False
        self._has_spoken = False
        self._heard = 0
        """Lines that said something."""
        self._turn_over = asyncio.Event()
        """The closing event has come, or the last message of a turn."""
        self._over = asyncio.Event()

    async def run(self) -> None:
        """Start the program, read it until it is done, and say what came of it."""
        try:
            if await self._start():
                self._say_end(await self._live())
        finally:
            self._signs.close()
            self._over.set()

    async def prompt(self, message_id: str | None, text: str) -> bool:
        """Wait for the end: what it is told it reads with the answers of our tools, or not at all.

        Why wait: the message stays in its mailbox as long as it may still be read there.
        """
        del text
        if message_id is not None and self._profile.channel is Channel.MCP:
            await self._over.wait()
        return False

    def wake(self) -> None:
        """It hears of its mail by its own calls."""

    async def stop(self, *, hurry: bool = False) -> Stopped:
        """End the program and everything it started."""
        self._over.set()
        return await self._process.stop(hurry=hurry)

    async def _start(self) -> bool:
        opening = self._order.opening
        if self._profile.brief_by == "argument":
            started = await self._process.start(stdin=b"", brief=opening)
        else:
            started = await self._process.start(stdin=opening.encode())
        if started:
            self._process.transcript.write("in", opening)
        return started

    async def _live(self) -> Exit | None:
        """Read until the program has left, or has said its last and does not leave.

        Returns:
            How it left; none where it lives on, or only its output ended.
        """
        listening = asyncio.ensure_future(self._process.listen(self._hear))
        others = (
            asyncio.ensure_future(self._wait_for_tools()),
            asyncio.ensure_future(self._lose_patience()),
        )
        try:
            await asyncio.wait((listening, others[1]), return_when=asyncio.FIRST_COMPLETED)
            for task in (listening, *others):
                if task.done():
                    task.result()  # a fault ends the run
            return listening.result() if listening.done() else None
        finally:
            for task in (listening, *others):
                task.cancel()
            await asyncio.wait((listening, *others))

    async def _wait_for_tools(self) -> None:
        """Come up once the agent has listed our tools, where it is to do so before its turn."""
        if self._probes:
            await self._voice.channel_seen(self._node)
            await self._come_up()

    @property
    def _probes(self) -> bool:
        profile = self._profile
        return profile.channel is Channel.MCP and profile.probe is Probe.BEFORE_TURN

    async def _come_up(self) -> None:
        if not self._is_up:
            self._is_up = True
            await self._voice.ask(ConfirmStart(node=self._node, **self._voice.now()))
            self._tell_usage()  # what was told before it was up counted for nothing

    async def _lose_patience(self) -> None:
        """Return when a program that has said its last had its time to leave."""
        while True:
            await self._turn_over.wait()
            heard = self._heard
            await asyncio.sleep(self._profile.result_grace_ms / 1_000)
            if self._turn_over.is_set() and heard == self._heard:
                return

    async def _hear(self, line: bytes) -> None:
        raw = self._frames.read(line)
        if raw is None or self._course.closing is not None:
            return
        self._has_spoken = True
        if not self._probes:
            await self._come_up()
        reading = read_line(self._events, raw)
        self._count(reading)
        sign = self._course.take(reading)
        if not sign:
            return
        self._heard += 1
        self._signs.note(sign, self._course.phase)
        if reading.closing is not None:
            await self._close(reading.closing)
            self._turn_over.set()
        elif self._course.turn_ended:
            self._turn_over.set()
        else:
            self._turn_over.clear()

    def _count(self, reading: Reading) -> None:
        """Read the figures of a line, and tell the totals where they have grown."""
        if reading.usage is not None:
            self._meter.message(reading.message_id, reading.usage)
        if reading.total is not None:
            self._meter.cumulative(reading.total)
        if reading.summary is not None:
            self._meter.summary(reading.summary)
        total = self._meter.total()
        if total != self._measured:
            self._measured = total
            self._tell_usage()

    def _tell_usage(self) -> None:
        if self._measured is not None:
            now = self._voice.now()
            self._voice.tell(NoteUsage(node=self._node, usage=self._measured, **now))

    async def _close(self, closing: Closing) -> None:
        """Make of the closing event what it is: the child's final, an error, or just the end."""
        if self._probes and not self._voice.has_channel(self._node):
            return  # Why: it never had a way to report, and its end says so.
        ending = ending_of_closing(closing)
        if not ending.promotes or self._profile.channel is not Channel.CLOSING_RESULT:
            self._end(ending)
            return
        node, spoken = self._order.node, self._course.spoken
        final = await final_of(closing, spoken, node, self._voice, self._check_schema)
        refusal = await submit(final, self._voice)
        if refusal is not None:
            words = closing_refused(refusal)
            self._end(Ending(reason="closing-result-refused", words=words, shown=words))

    def _say_end(self, ended: Exit | None) -> None:
        """Say how the run ended, where nothing that was said before has settled it."""
        silent = ended is None and self._turn_over.is_set()
        ending = (
            ending_of_silence(self._events)
            if silent
            else ending_of_exit(ended, self._course.failure)
        )
        if not self._is_up:
            self._fail_start(ending)
        elif self._course.closing is None:
            self._end(ending)

    def _fail_start(self, ending: Ending) -> None:
        missing = "it had listed our tools" if self._has_spoken else "it printed any JSON object"
        why = f"{ending.words} before {missing}"
        diagnostic = self._process.diagnostic(self._told(why), self._frames.sample())
        now = self._voice.now()
        self._voice.tell(FailStart(node=self._node, why=why, diagnostic=diagnostic, **now))

    def _told(self, words: str) -> str:
        """Add what the agent told of its own errors."""
        closing = self._course.closing
        own = (self._course.failure, closing.error_text if closing is not None else "")
        told = "\n".join(dict.fromkeys(text for text in (words, *own) if text))
        return self._voice.scrubber.head(told, WORDS_BYTES)

    def _end(self, ending: Ending) -> None:
        words = self._told(ending.words)
        self._voice.tell(
            EndChild(
                node=self._node,
                outcome=Outcome.FAILED,
                stop_reason=ending.stop_reason,
                reason=ending.reason,
                output=ending.shown,
                promotes=ending.promotes,
                produced_bytes=self._process.produced_bytes,
                diagnostic=self._process.diagnostic(words, self._frames.sample()),
                **self._voice.now(),
            ),
        )
