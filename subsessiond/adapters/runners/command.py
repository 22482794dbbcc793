"""The `command` runner: a plain program is the child, and the runtime reports for it.

It is useful with no model, key or network: exit status, the summary that test tools print, and a
bounded tail of the output become the one report, credited to the runtime.
"""

import asyncio
import signal
import time
from typing import NamedTuple

from subsessiond.adapters.runners.copying import copy_errors
from subsessiond.adapters.runners.plain import readable
from subsessiond.adapters.runners.summary import summary_of
from subsessiond.core.bounds import bytes_of_tokens, cut_bytes, size_bytes, tail_bytes
from subsessiond.model.commands import ConfirmStart, EndChild, FailStart, NoteSign
from subsessiond.model.node import Phase, StopReason
from subsessiond.model.process import Exit, Launch, LaunchFault, Stopped
from subsessiond.model.report import Outcome
from subsessiond.ports import ChildOrder, Process, Processes, Stamps, Transcripts, Voice

KEEP_BYTES = 128 * 1024
"""How much of a program's output is kept while it runs; the longest report shows 24,000 bytes."""

DRAIN_S = 2.0
"""How long output is read after the exit, when something else holds the pipe."""

FRAME_BYTES = 200
"""Kept free for the line that frames the report, where the contract leaves room for it."""

DIAGNOSTIC_BYTES = 4_096

SPARE_BYTES = 8
"""More than the bytes of any character."""


class Printed(NamedTuple):
    """What a program printed."""

    text: str
    begun: bool
    """More came before it and was not kept."""


class CommandRunner:
    """Starts command lines in containers of their own."""

    def __init__(self, processes: Processes, transcripts: Transcripts) -> None:
        self._processes = processes
        self._transcripts = transcripts

    def start(self, order: ChildOrder, voice: Voice) -> "CommandChild":
        """Make a child ready; nothing is started before its `run`."""
        return CommandChild(self._processes, self._transcripts, order, voice)


class CommandChild:
    """One program under way."""

    def __init__(
        self, processes: Processes, transcripts: Transcripts, order: ChildOrder, voice: Voice
    ) -> None:
        self._processes = processes
        self._transcript = transcripts.open(order.node.node_id)
        self._order = order
        self._voice = voice
        self._node = order.node
        self._process: Process | None = None
        self._tail = bytearray()
        self._bytes = 0
        self._lines = 0
        self._may_start = True
        self._starting = asyncio.Lock()

    async def run(self) -> None:
        """Start the program, read it to its end, and say how it ended."""
        began = time.monotonic()
        async with self._starting:
            if not self._may_start:
                return
            process = await self._start()
        if process is None:
            return
        now = self._voice.now()
        self._voice.tell(ConfirmStart(node=self._node.node_id, identity=process.identity, **now))
        sign = NoteSign(node=self._node.node_id, sign="command", phase=Phase.IN_TOOL, **now)
        self._voice.tell(sign)
        ended = await self._read_to_end(process)
        seconds, now = time.monotonic() - began, self._voice.now()
        await self._voice.tell_made(lambda: self._ending(process, ended, seconds, now))

    async def prompt(self, message_id: str | None, text: str) -> bool:
        """A program reads no messages."""
        del message_id, text
        return False

    def wake(self) -> None:
        """A program reads no mail."""

    async def stop(self, *, hurry: bool = False) -> Stopped:
        """End the program and everything it started."""
        async with self._starting:
            self._may_start = False
        if self._process is None:
            self._transcript.close()
            return Stopped()
        stopped = await self._process.stop(term_grace_ms=0 if hurry else None)
        await self._process.aclose()
        self._transcript.close()
        return stopped

    async def _start(self) -> Process | None:
        try:
            self._process = await self._processes.spawn(self._launch())
        except LaunchFault as fault:
            failed = FailStart(node=self._node.node_id, why=str(fault), **self._voice.now())
            self._voice.tell(failed)
        return self._process

    def _launch(self) -> Launch:
        """Give the command line with its environment; the opening text comes by stdin unless the
        profile, whose own command line this is, wants it as the last argument.
        """
        node, profile, opening = self._node, self._order.profile, self._order.opening
        by_argument = not node.argv and profile.brief_by == "argument"
        return Launch(
            node_id=node.node_id,
            argv=node.argv or ((*profile.command, opening) if by_argument else profile.command),
            cwd=node.workspace,
            env=self._order.env,
            stdin=b"" if by_argument else opening.encode(),
        )

    async def _read_to_end(self, process: Process) -> Exit:
        errors = copy_errors(process, self._transcript)
        streams = [asyncio.ensure_future(reading) for reading in (self._read(process), errors)]
        try:
            ended = await process.wait_exit()
            await asyncio.wait(streams, timeout=DRAIN_S)
        finally:
            for reading in streams:
                reading.cancel()
            await asyncio.wait(streams)
        return ended

    async def _read(self, process: Process) -> None:
        while chunk := await process.read_stdout():
            self._transcript.write("out", chunk)
            self._bytes += len(chunk)
            self._lines += chunk.count(b"\n")
            self._tail += chunk
            if len(self._tail) > 2 * KEEP_BYTES:
                del self._tail[: len(self._tail) - KEEP_BYTES]

    def _ending(self, process: Process, ended: Exit, seconds: float, now: Stamps) -> EndChild:
        succeeded = ended.code == 0
        kept = process.stderr_tail(KEEP_BYTES)
        errors = Printed(readable(kept).rstrip(), begun=process.stderr_bytes > len(kept))
        return EndChild(
            node=self._node.node_id,
            outcome=Outcome.COMPLETED if succeeded else Outcome.FAILED,
            stop_reason=StopReason.COMPLETED if succeeded else StopReason.ERROR,
            reason=_reason(ended),
            output=self._report(ended, self._amount(process.stderr_lines), errors, seconds),
            produced_bytes=self._bytes + process.stderr_bytes,
            diagnostic=None if succeeded else self._scrubbed(errors, DIAGNOSTIC_BYTES) or None,
            **now,
        )

    def _report(self, ended: Exit, amount: str, errors: Printed, seconds: float) -> str:
        """Write the runtime's report: what happened, the summary, then as much tail as fits."""
        kept = bytes(self._tail[-KEEP_BYTES:])
        printed = Printed(readable(kept).rstrip(), begun=self._bytes > len(kept))
        room = room_of(self._node.max_report_tokens)
        head = f"{_words(ended)} after {seconds:.1f} s; {amount}."
        found = summary_of(printed.text) or summary_of(errors.text)
        if found:
            head += f"\nSummary: {self._voice.scrubber.scrub(found)}"
        head = cut_bytes(head, room)
        room -= size_bytes(head) + size_bytes(_TAIL_HEAD)
        # Why more than there is room for: whether something was cut is then still to be seen.
        told = self._scrubbed(printed if printed.text else errors, room + SPARE_BYTES)
        tail = last_lines(told, room)
        return f"{head}{_TAIL_HEAD}{tail}" if tail else head

    def _scrubbed(self, printed: Printed, limit: int) -> str:
        """Give the end of what was printed; it is scrubbed before it is cut."""
        return self._voice.scrubber.tail(printed.text, max(0, limit), begun=printed.begun)

    def _amount(self, error_lines: int) -> str:
        """Count the lines of the output and of the errors, last ones without their end included."""
        lines = self._lines + bool(self._tail and not self._tail.endswith(b"\n"))
        said = f"{_lines(lines)} of output"
        return f"{said}, {_lines(error_lines)} on standard error" if error_lines else said


_TAIL_HEAD = "\nLast lines:\n"


def room_of(max_report_tokens: int) -> int:
    """Give the bytes of a report: never more than the contract's, with its frame where that fits.

    The smallest contract (50 tokens) has no room for a frame and any words.
    """
    limit = bytes_of_tokens(max_report_tokens)
    return max(limit - FRAME_BYTES, limit // 2)


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"


def _words(ended: Exit) -> str:
    if ended.signal is not None:
        return f"The command was ended by signal {ended.signal}{_name(ended.signal)}"
    if ended.code is None:
        return "The command ended; its status was lost"
    return f"The command exited with status {ended.code}"


def _name(number: int) -> str:
    try:
        return f" ({signal.Signals(number).name})"
    except ValueError:  # one of the real-time signals
        return ""


def _reason(ended: Exit) -> str:
    if ended.signal is not None:
        return "killed-by-signal"
    if ended.code is None:
        return "status-lost"
    return "exited" if ended.code == 0 else "exit-status"


def last_lines(text: str, room: int) -> str:
    """Keep as many whole last lines as fit, or the end of the last one; nothing in no room."""
    tail = tail_bytes(text, max(0, room))
    if len(tail) == len(text):
        return tail
    first, cut, rest = tail.partition("\n")
    return rest if cut else first
