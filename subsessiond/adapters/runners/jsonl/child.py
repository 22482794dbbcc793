"""One headless program under way: it gets its brief once, prints lines, and leaves.

Nothing can be said to it while it runs: what it has not read by then rides on the answers of our
tools. Where its profile knows how to take a conversation up again, a run that ended well is a turn
like any other: mail, words and the question for its final begin the next run. Elsewhere a run that
ends without a final is the end.
"""

import asyncio
import re
from typing import Final

from subsessiond.adapters.runners.agentprocess import AgentProcess, Host
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
from subsessiond.adapters.runners.jsonl.talk import Talk
from subsessiond.adapters.runners.jsonl.telling import Telling
from subsessiond.adapters.runners.mailbox import Mailbox
from subsessiond.adapters.runners.meter import Meter
from subsessiond.adapters.runners.saying import Said
from subsessiond.adapters.runners.signs import Signs
from subsessiond.core.words.closing import closing_refused
from subsessiond.model.commands import ConfirmStart, NoteUsage
from subsessiond.model.node import Phase
from subsessiond.model.process import Exit, LaunchFault, Stopped
from subsessiond.model.role import Channel, Probe
from subsessiond.model.usage import Usage
from subsessiond.ports import ChildOrder, Voice

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}")
"""Of a conversation. It becomes a word of a command line, and must not be an option there."""


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
        self._talk = Talk(Mailbox(voice, order.node.node_id))
        self._session = ""
        """The name by which its conversation is taken up again."""
        self._rests = False
        """The run ended well, and another may follow."""
        self._node = order.node.node_id
        self._voice = voice
        self._check_schema = check_schema
        self._process = AgentProcess(host, order, voice)
        self._frames = Frames()
        self._telling = Telling(self._node, self._process, self._frames, voice)
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
            goes_on = await self._start()
            while goes_on:
                await self._say_end(await self._live())
                goes_on = self._rests and await self._go_on()
        finally:
            self._signs.close()
            self._talk.close()
            self._over.set()

    async def prompt(self, message_id: str | None, text: str) -> bool:
        """Say something at the end of the run; without further runs it is read with the answers of
        our tools, or not at all.

        Why wait even then: it stays in its mailbox as long as it may still be read there.
        """
        if self._profile.resume:
            return await self._talk.say(message_id, text)
        if message_id is not None and self._profile.channel is Channel.MCP:
            await self._over.wait()
        return False

    def wake(self) -> None:
        """Mail waits; without further runs it hears of it by its own calls alone."""
        self._talk.nudge()

    async def stop(self, *, hurry: bool = False) -> Stopped:
        """End the program and everything it started."""
        self._talk.close()
        self._over.set()
        return await self._process.stop(hurry=hurry)

    async def _go_on(self) -> bool:
        """Let nothing run until there is something to say, then begin the next run with it.

        Returns:
            Whether it runs; not where the child has settled, or is being stopped.
        """
        diagnostic = self._telling.diagnostic("", self._course)
        self._talk.note_heard()
        # Why now: a sign that is told later would say that a child works which waits.
        self._signs.close()
        if left := await self._process.rest():
            words = f"something of its run could not be ended: {'; '.join(left)}"
            await self._telling.end(Ending(reason="leftovers", words=words), self._course)
            return False
        said = await self._talk.next(lambda: self._telling.end_turn(diagnostic))
        if said is None:
            return False
        self._begin_run()
        return await self._start_again(said)

    def _begin_run(self) -> None:
        self._course = Course(in_pieces=self._events.words_in_pieces)
        self._rests = False
        self._turn_over.clear()
        self._signs.note("prompt", Phase.WORKING)

    async def _start_again(self, said: Said) -> bool:
        by_argument = self._profile.brief_by == "argument"
        stdin, brief = (b"", said.text) if by_argument else (said.text.encode(), None)
        try:
            started = await self._process.start_again(stdin, brief, self._session)
        except (LaunchFault, OSError, ValueError) as fault:
            said.settle(read=False)
            await self._telling.end(
                Ending(reason="run-not-started", words=str(fault)), self._course
            )
            return False
        if not started:
            said.settle(read=False)
            return False
        self._talk.note_said(said)
        self._process.transcript.write("in", said.text)
        return True

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
        if not self._session and _NAME.fullmatch(reading.session):
            self._session = reading.session
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
        closes = self._profile.channel is Channel.CLOSING_RESULT
        if ending.promotes and not closes and self._profile.resume and self._session:
            self._rests = True
            return
        if not ending.promotes or not closes:
            await self._telling.end(ending, self._course)
            return
        node, spoken = self._order.node, self._course.spoken
        final = await final_of(closing, spoken, node, self._voice, self._check_schema)
        refusal = await submit(final, self._voice)
        if refusal is not None:
            words = closing_refused(refusal)
            await self._telling.end(
                Ending(reason="closing-result-refused", words=words, shown=words), self._course
            )

    async def _say_end(self, ended: Exit | None) -> None:
        """Say how the run ended, where nothing that was said before has settled it."""
        silent = ended is None and self._turn_over.is_set()
        ending = (
            ending_of_silence(self._events)
            if silent
            else ending_of_exit(ended, self._course.failure)
        )
        if not self._is_up:
            missing = (
                "it had listed our tools" if self._has_spoken else "it printed any JSON object"
            )
            await self._telling.fail_start(f"{ending.words} before {missing}", self._course)
        elif self._course.closing is None:
            await self._telling.end(ending, self._course)
