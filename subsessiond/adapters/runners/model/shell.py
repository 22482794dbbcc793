"""Commands that a model runs: each in a container of its own, bounded in time and output."""

import asyncio
import contextlib
import signal
from typing import Final

from subsessiond.adapters.runners.plain import readable
from subsessiond.core.words.hands import command_told
from subsessiond.model.process import Exit, Launch, LaunchFault, Stopped
from subsessiond.ports import ChildOrder, Process, Processes

SHOWN_BYTES: Final = 16 * 1024
"""Of the end of what a command printed; about 5,500 tokens."""

ERRORS_BYTES: Final = 4 * 1024
TIMEOUT_MS: Final = 120_000
DRAIN_S: Final = 2.0
"""How long output is read after the exit, when something else holds the pipe."""


class Printed:
    """The end of what a command printed."""

    def __init__(self) -> None:
        self._tail = bytearray()
        self.total_bytes = 0

    def add(self, chunk: bytes) -> None:
        """Keep a piece, and let go of what is old."""
        self.total_bytes += len(chunk)
        self._tail += chunk
        if len(self._tail) > 2 * SHOWN_BYTES:
            del self._tail[:-SHOWN_BYTES]

    @property
    def text(self) -> str:
        """The end, as text."""
        return readable(bytes(self._tail[-SHOWN_BYTES:]))

    @property
    def left_out(self) -> int:
        """Bytes before it."""
        return max(0, self.total_bytes - SHOWN_BYTES)


class Shell:
    """Runs the commands of one child, one after the other.

    Args:
        processes: makes containers.
        order: the child.
        most_ms: the longest any command may take.
    """

    def __init__(self, processes: Processes, order: ChildOrder, most_ms: int) -> None:
        self._processes = processes
        self._order = order
        self._most_ms = most_ms
        self._kept: list[Process] = []
        """Those that are not proven gone."""
        self._may_start = True
        self._starting = asyncio.Lock()
        self.printed_bytes = 0

    async def run(self, command: str, timeout_ms: int | None) -> str:
        """Run one, end all it left behind, and tell how it went."""
        limit_ms = min(timeout_ms or TIMEOUT_MS, self._most_ms)
        try:
            process = await self._start(command)
        except LaunchFault as fault:
            return str(fault)
        if process is None:
            return "not run: this child is being stopped"
        printed = Printed()
        ended = await self._read_to_end(process, printed, limit_ms / 1_000)
        stopped = await process.stop(term_grace_ms=None if ended is None else 0)
        self.printed_bytes += printed.total_bytes + process.stderr_bytes
        told = _told(ended, limit_ms, printed, readable(process.stderr_tail(ERRORS_BYTES)))
        if not stopped.leftovers:
            self._kept.remove(process)
            await process.aclose()
        return told

    async def stop(self, *, hurry: bool) -> Stopped:
        """End whatever of its commands is still there, and start none any more."""
        async with self._starting:
            self._may_start = False
        forced, leftovers = False, list[str]()
        for process in tuple(self._kept):
            stopped = await process.stop(term_grace_ms=0 if hurry else None)
            await process.aclose()
            forced = forced or stopped.forced
            leftovers.extend(stopped.leftovers)
        return Stopped(forced=forced, leftovers=tuple(leftovers))

    async def _start(self, command: str) -> Process | None:
        async with self._starting:
            if not self._may_start:
                return None
            process = await self._processes.spawn(
                Launch(
                    node_id=self._order.node.node_id,
                    argv=("/bin/sh", "-c", command),
                    cwd=self._order.node.workspace,
                    env=self._order.env,
                )
            )
            self._kept.append(process)
            return process

    async def _read_to_end(self, process: Process, printed: Printed, limit_s: float) -> Exit | None:
        """Read what it prints until it is over; none = its time was."""
        reading = asyncio.ensure_future(_read(process, printed))
        try:
            async with asyncio.timeout(limit_s):
                ended = await process.wait_exit()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(DRAIN_S):
                    await asyncio.shield(reading)
        except TimeoutError:
            return None
        else:
            return ended
        finally:
            reading.cancel()
            await asyncio.wait((reading,))


async def _read(process: Process, printed: Printed) -> None:
    while chunk := await process.read_stdout():
        printed.add(chunk)


def _told(ended: Exit | None, limit_ms: int, printed: Printed, errors: str) -> str:
    if ended is None:
        how = f"ended after {limit_ms} ms: it took too long"
    elif ended.signal is not None:
        how = f"killed by {_named(ended.signal)}"
    else:
        how = "ended" if ended.code is None else f"exit status {ended.code}"
    text = printed.text
    if errors:
        text = f"{text}\nstandard error:\n{errors}" if text else f"standard error:\n{errors}"
    return command_told(how, text, left_out=printed.left_out)


def _named(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # one of the real-time signals
        return f"signal {number}"
