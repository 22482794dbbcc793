"""The process of one agent, as every runner of real agents needs it.

Owns its scratch folder, its start, what it prints, its end. What its lines mean, and what is to be
made of its end, is the runner's to say.
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, NamedTuple

from subsessiond.adapters.runners.copying import copy_errors
from subsessiond.adapters.runners.lines import Lines
from subsessiond.adapters.runners.placeholders import fill, words_of
from subsessiond.adapters.runners.plain import readable
from subsessiond.adapters.runners.scratch import drop_scratch, make_scratch
from subsessiond.model.commands import FailStart, NoteProcess
from subsessiond.model.process import Exit, Launch, LaunchFault, Stopped
from subsessiond.ports import ChildOrder, Process, Processes, Transcripts, Voice

DRAIN_S: Final = 2.0
"""How long output is read after the exit when something else holds the pipe, and how long an exit
is waited for once the output has ended.
"""

GOODBYE_S: Final = 2.0
"""How long an agent may take to end its turn before its input is closed."""

AT_ONCE: Final = 500
"""Lines that are heard in one go: tens of thousands fit into a chunk, and others want a turn."""

DIAGNOSTIC_BYTES: Final = 4_096

ERRORS_BYTES: Final = 64 * 1024
"""How much of the errors is looked through for what is no secret, to fill a diagnostic."""

WORDS_BYTES: Final = 1_024
"""Of a diagnostic: the runner's own words."""

Hear = Callable[[bytes], Awaitable[None]]
"""Takes one line of output; while it waits, nothing more is read."""

Goodbye = Callable[[], Awaitable[None]]
"""Asks the agent, in its own protocol, to stop what it does."""


class Host(NamedTuple):
    """What this daemon gives to all agents that it runs."""

    processes: Processes
    transcripts: Transcripts
    shim: tuple[str, ...]
    """Command line of our MCP server."""
    socket: str
    scratch: Path
    """Holds one folder for each child."""


class AgentProcess:
    """One agent's process under way.

    Args:
        host: what the daemon gives.
        order: the child.
        voice: hears that it was started, or could not be.
    """

    def __init__(self, host: Host, order: ChildOrder, voice: Voice) -> None:
        self._host = host
        self._order = order
        self._voice = voice
        self._node = order.node.node_id
        self._folder = host.scratch / self._node
        self.transcript = host.transcripts.open(self._node)
        self.lines = Lines()
        self._process: Process | None = None
        self._may_start = True
        self._starting = asyncio.Lock()
        self._hurry = asyncio.Event()
        self._out_bytes = 0

    @property
    def words(self) -> dict[str, str]:
        """What stands for the words in braces."""
        return words_of(self._order.node, self._folder, self._host.socket, self._host.shim)

    async def start(self, *, stdin: bytes | None = None, brief: str | None = None) -> bool:
        """Start it, and let its identity be durable; tells whether it runs now.

        Args:
            stdin: its whole input; none keeps the input open for a protocol.
            brief: what `{brief}` stands for in its command line.

        Returns:
            Whether it runs. If not, it was stopped before, or the failed start has been told.
        """
        async with self._starting:
            if not self._may_start:
                return False
            try:
                await asyncio.to_thread(make_scratch, self._folder, self._files())
                self._process = await self._host.processes.spawn(self._launch(stdin, brief))
            except (LaunchFault, OSError, ValueError) as fault:
                now = self._voice.now()
                self._voice.tell(FailStart(node=self._node, why=str(fault), **now))
                return False
            identity = self._process.identity
            # Why before any word is spoken: a killed daemon's successor has to find it.
            now = self._voice.now()
            await self._voice.ask(NoteProcess(node=self._node, identity=identity, **now))
            return True

    async def write(self, data: bytes) -> None:
        """Write to its input.

        Raises:
            InputClosed: it left, or closed its input.
        """
        self.transcript.write("in", data)
        await self._running.write(data)

    async def listen(self, hear: Hear) -> Exit | None:
        """Give every line to `hear` until the agent is gone.

        An exit counts though something holds the output, and so does the end of the output though
        the agent lives: it cannot say anything any more.

        Returns:
            How it ended; none where only its output did.
        """
        process = self._running
        reading = asyncio.ensure_future(self._read(process, hear))
        leaving = asyncio.ensure_future(process.wait_exit())
        errors = asyncio.ensure_future(copy_errors(process, self.transcript))
        tasks = (reading, leaving, errors)
        try:
            await asyncio.wait((reading, leaving), return_when=asyncio.FIRST_COMPLETED)
            _raise(reading)
            await asyncio.wait(tasks, timeout=DRAIN_S)
            _raise(reading)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        for line in self.lines.end():
            await hear(line)
        return None if leaving.cancelled() else leaving.result()

    async def stop(self, goodbye: Goodbye | None = None, *, hurry: bool = False) -> Stopped:
        """Ask it in its protocol, end its input, then climb the ladder of its container.

        Idempotent, also before and after its run; with `hurry` no call waits for anything.
        """
        if hurry:
            self._hurry.set()
        async with self._starting:
            self._may_start = False
        stopped = Stopped()
        if self._process is not None:
            if goodbye is not None and not self._hurry.is_set():
                await self._part(goodbye)
            stopped = await self._process.stop(term_grace_ms=0 if self._hurry.is_set() else None)
            await self._process.aclose()
        self.transcript.close()
        await asyncio.to_thread(drop_scratch, self._folder)
        return stopped

    @property
    def produced_bytes(self) -> int:
        """All it ever printed."""
        return self._out_bytes + (self._process.stderr_bytes if self._process is not None else 0)

    def diagnostic(self, words: str, sample: str = "") -> str:
        """Make the operator's text: what the runner says, some noise, the end of the errors."""
        scrubber = self._voice.scrubber
        head = [scrubber.head(words, WORDS_BYTES)] if words else []
        if self.lines.dropped:
            head.append(f"lines that were too long and not read: {self.lines.dropped}")
        if sample:
            head.append(f"no protocol: {scrubber.head(sample, WORDS_BYTES)}")
        room = DIAGNOSTIC_BYTES - len("\n".join(head).encode()) - len("\nstderr: ")
        tail = self._errors(max(0, room))
        return "\n".join([*head, f"stderr: {tail}"] if tail else head)

    def _errors(self, room: int) -> str:
        """Give the end of its errors, scrubbed before it is cut."""
        if self._process is None:
            return ""
        kept = self._process.stderr_tail(ERRORS_BYTES)
        begun = self._process.stderr_bytes > len(kept)
        return self._voice.scrubber.tail(readable(kept).strip(), room, begun=begun)

    @property
    def _running(self) -> Process:
        if self._process is None:
            raise RuntimeError("it was not started")
        return self._process

    def _files(self) -> list[tuple[str, str]]:
        return [(name, fill(text, self.words)) for name, text in self._order.profile.files]

    def _launch(self, stdin: bytes | None, brief: str | None) -> Launch:
        words = self.words if brief is None else {**self.words, "brief": brief}
        own = dict(self._order.profile.env)
        return Launch(
            node_id=self._node,
            argv=tuple(fill(part, words) for part in self._order.profile.command),
            cwd=self._order.node.workspace,
            env=tuple(
                (name, fill(text, self.words) if name in own else text)
                for name, text in self._order.env
            ),
            stdin=stdin,
        )

    async def _read(self, process: Process, hear: Hear) -> None:
        while chunk := await process.read_stdout():
            self._out_bytes += len(chunk)
            self.transcript.write("out", chunk)
            for count, line in enumerate(self.lines.feed(chunk), 1):
                await hear(line)
                if count % AT_ONCE == 0:
                    await asyncio.sleep(0)

    async def _part(self, goodbye: Goodbye) -> None:
        """Say goodbye; whatever comes of it, the ladder is climbed."""
        saying = asyncio.ensure_future(goodbye())
        hurrying = asyncio.ensure_future(self._hurry.wait())
        both = (saying, hurrying)
        try:
            await asyncio.wait(both, timeout=GOODBYE_S, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in both:
                task.cancel()
            await asyncio.wait(both)
        if not saying.cancelled() and (fault := saying.exception()) is not None:
            self.transcript.write("note", f"it could not be asked to stop: {fault!r}")


def _raise(reading: asyncio.Future[None]) -> None:
    """Let a fault of whoever hears the lines end the run, instead of ending the reading alone."""
    if reading.done():
        reading.result()
