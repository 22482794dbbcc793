"""The process of one agent, as every runner of real agents needs it.

Owns its scratch folder, its start, what it prints, its end. What its lines mean, and what is to be
made of its end, is the runner's to say.
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, NamedTuple

from subsessiond.adapters.runners.copying import copy_errors
from subsessiond.adapters.runners.diagnosing import diagnostic_of
from subsessiond.adapters.runners.folders import folders_for
from subsessiond.adapters.runners.lines import Lines
from subsessiond.adapters.runners.placeholders import fill, words_of
from subsessiond.adapters.runners.scratch import drop_scratch, make_scratch
from subsessiond.model.commands import FailStart, NoteProcess
from subsessiond.model.process import Exit, Launch, LaunchFault, Stopped
from subsessiond.ports import ChildOrder, Process, Processes, RunnerFault, Transcripts, Voice

DRAIN_S: Final = 2.0
"""How long output is read after the exit when something else holds the pipe, and how long an exit
is waited for once the output has ended.
"""

GOODBYE_S: Final = 2.0
"""How long an agent may take to end its turn before its input is closed."""

AT_ONCE: Final = 500
"""Lines that are heard in one go: tens of thousands fit into a chunk, and others want a turn."""

REMOVED: Final = b"[removed]"
"""Stands in a transcript for what is no file's to hold."""

Hear = Callable[[bytes], Awaitable[None]]
"""Takes one line of output; while it waits, nothing more is read."""

Goodbye = Callable[[], Awaitable[None]]
"""Asks the agent, in its own protocol, to stop what it does."""


Address = Callable[[], Awaitable[str]]
"""Gives where our MCP server is reached over HTTP, from now on; raises `RunnerFault`."""


async def nowhere() -> str:
    """Say that there is no such place.

    Raises:
        RunnerFault: always.
    """
    raise RunnerFault("this daemon serves no MCP over HTTP")


class Host(NamedTuple):
    """What this daemon gives to all agents that it runs."""

    processes: Processes
    transcripts: Transcripts
    shim: tuple[str, ...]
    """Command line of our MCP server."""
    socket: str
    scratch: Path
    """Holds one folder for each child."""
    mcp_address: Address = nowhere


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
        self._err_bytes = 0
        """What processes before this one wrote as errors."""
        self._folders: tuple[str, ...] = ()

    @property
    def words(self) -> dict[str, str]:
        """What stands for the words in braces."""
        host = self._host
        return words_of(self._order.node, self._folder, host.socket, host.shim, self._folders)

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
                self._folders = await asyncio.to_thread(folders_for, self._order)
                await asyncio.to_thread(make_scratch, self._folder, self._files())
                command = self._order.profile.command
                await self._spawn(self._launch(command, stdin, brief))
            except (LaunchFault, OSError, ValueError) as fault:
                now = self._voice.now()
                self._voice.tell(FailStart(node=self._node, why=str(fault), **now))
                return False
            return True

    async def start_again(self, stdin: bytes, brief: str | None, session: str) -> bool:
        """Start the next run of a conversation, after the one before has rested.

        Args:
            stdin: its whole input.
            brief: what `{brief}` stands for in its command line.
            session: what `{session}` stands for.

        Returns:
            Whether it runs; not where it was stopped before.

        Raises:
            LaunchFault: it cannot be run.
            OSError: a folder of what it owns cannot be made.
        """
        async with self._starting:
            if not self._may_start:
                return False
            self._folders = await asyncio.to_thread(folders_for, self._order)
            self.lines = Lines()
            launch = self._launch(self._order.profile.resume, stdin, brief, session)
            await self._spawn(launch)
            return True

    async def rest(self) -> tuple[str, ...]:
        """End what is left of a run, so that nothing runs until the next; gives what stays."""
        process = self._process
        if process is None:
            return ()
        stopped = await process.stop(term_grace_ms=0 if self._hurry.is_set() else None)
        async with self._starting:
            if not stopped.leftovers and self._process is process:
                self._err_bytes += process.stderr_bytes
                self._process = None
                await process.aclose()
        return stopped.leftovers

    async def _spawn(self, launch: Launch) -> None:
        self._process = await self._host.processes.spawn(launch)
        identity = self._process.identity
        # Why before any word is spoken: a killed daemon's successor has to find it.
        now = self._voice.now()
        await self._voice.ask(NoteProcess(node=self._node, identity=identity, **now))

    async def write(self, data: bytes) -> None:
        """Write to its input.

        Raises:
            InputClosed: it left, or closed its input.
        """
        # Why not as it is: over HTTP an agent is told its token, and that stands in no file.
        token = self._order.token.encode()
        self.transcript.write("in", data.replace(token, REMOVED) if token else data)
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
        if (process := self._process) is not None:
            if goodbye is not None and not self._hurry.is_set():
                await self._part(goodbye)
            stopped = await process.stop(term_grace_ms=0 if self._hurry.is_set() else None)
            await process.aclose()
        self.transcript.close()
        await asyncio.to_thread(drop_scratch, self._folder)
        return stopped

    @property
    def produced_bytes(self) -> int:
        """All it ever printed."""
        errors = self._process.stderr_bytes if self._process is not None else 0
        return self._out_bytes + self._err_bytes + errors

    def diagnostic(self, words: str, sample: str = "") -> str:
        """Make the operator's text: what the runner says, some noise, the end of the errors."""
        return diagnostic_of(self._voice.scrubber, self._process, words, self.lines.dropped, sample)

    @property
    def _running(self) -> Process:
        if self._process is None:
            raise RuntimeError("it was not started")
        return self._process

    def _files(self) -> list[tuple[str, str]]:
        return [(name, fill(text, self.words)) for name, text in self._order.profile.files]

    def _launch(
        self, command: tuple[str, ...], stdin: bytes | None, brief: str | None, session: str = ""
    ) -> Launch:
        words = {**self.words, "session": session}
        if brief is not None:
            words["brief"] = brief
        own = dict(self._order.profile.env)
        return Launch(
            node_id=self._node,
            argv=tuple(fill(part, words) for part in command),
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
