"""One running child of this daemon: its pipes, its end, and the way to end it."""

import asyncio
from collections.abc import Callable
from typing import NamedTuple, Protocol

from subsessiond.adapters.processes.ladder import Contents, Watch, empty
from subsessiond.adapters.processes.streams import Input, Output, Tail
from subsessiond.model.process import Exit, Identity, Stopped


class Limits(NamedTuple):
    """Graces and sizes that hold for each child where a call says nothing else."""

    term_grace_ms: int
    close_stdin_ms: int
    stderr_keep_bytes: int


class Leading(Protocol):
    """The program itself: when it ended, how, and when its number is freed."""

    pid: int
    gone: asyncio.Event
    on_exit: Callable[[], None]

    @property
    def exit(self) -> Exit | None:
        """How it ended; `None` while it runs."""

    @property
    def exited(self) -> asyncio.Event:
        """Set when it has ended."""

    def reap(self) -> bool:
        """Free its number; tells whether that is done."""

    def close(self) -> None:
        """Give the descriptors back."""


class Born(NamedTuple):
    """A running child, and our ends of its pipes."""

    identity: Identity
    container: Contents
    leader: Leading
    stdin: int
    stdout: int
    stderr: int


class Owner(Protocol):
    """Who made a process and frees what its container held."""

    def release(self, process: "Process") -> None:
        """Free a container that is empty, and the leader's number."""

    def forget(self, process: "Process") -> None:
        """Note that a process holds no descriptor any more."""


class Process:
    """A started program with all it starts.

    Args:
        born: the process and our ends of its pipes.
        limits: graces and sizes.
        owner: is told when the container is proven empty, and when nothing is held any more.
    """

    def __init__(self, born: Born, limits: Limits, owner: "Owner") -> None:
        self.identity: Identity = born.identity
        self.container = born.container
        self.leader = born.leader
        self.stdout = Output(born.stdout)
        self.stderr = Tail(born.stderr, limits.stderr_keep_bytes)
        self._stdin = Input(born.stdin)
        self._limits = limits
        self._owner = owner
        self._watch = Watch(leader_gone=born.leader.exited.is_set())
        self._stopping = asyncio.Lock()
        self._gone: Stopped | None = None
        born.leader.on_exit = self._watch.leader_left

    async def read_stdout(self) -> bytes:
        """Read the next bytes of its output; empty at the end."""
        return await self.stdout.read_chunk()

    async def read_stderr(self) -> bytes:
        """Read what it wrote as errors since the last call and is still kept; empty at the end."""
        return await self.stderr.read_chunk()

    def stderr_tail(self, limit_bytes: int) -> bytes:
        """Give the last bytes it wrote as errors, at most what is kept."""
        return self.stderr.last(limit_bytes)

    @property
    def stderr_bytes(self) -> int:
        """All it ever wrote as errors."""
        return self.stderr.total_bytes

    @property
    def stderr_lines(self) -> int:
        """Lines it ever wrote as errors, a last one without its end included."""
        return self.stderr.total_lines

    async def write(self, data: bytes) -> None:
        """Write to its input, whole and in order; returns when the pipe has taken it.

        Raises:
            InputClosed: it closed its input, or left, or the input was ended.
        """
        await self._stdin.write(data)

    async def close_stdin(self) -> None:
        """End its input after all that was written; does not wait for it to be read."""
        self._stdin.end()

    def feed(self, data: bytes) -> None:
        """Write in the background, then end the input."""
        if data:
            self._stdin.enqueue(data)
        self._stdin.end()

    async def wait_exit(self) -> Exit:
        """Wait for the program's own end, whatever it left behind and whoever holds its pipes."""
        await self.leader.exited.wait()
        return self.leader.exit or Exit()

    async def stop(
        self, *, term_grace_ms: int | None = None, close_stdin_ms: int | None = None
    ) -> Stopped:
        """Climb down: end its input, ask it to leave, kill the container, prove it gone.

        Calls at the same time share one way down; one with `term_grace_ms=0` ends all waiting. What
        could not be proven gone is tried again by the next call.

        Args:
            term_grace_ms: between asking and killing, with 0 nobody is asked; the adapter's default
                when not given.
            close_stdin_ms: between end of input and asking, where the input is still open.

        Returns:
            Whether force was needed, and words for what is left.
        """
        if term_grace_ms == 0:
            self._watch.hurry()
        async with self._stopping:
            if self._gone is not None:
                return self._gone
            grace_ms = self._limits.term_grace_ms if term_grace_ms is None else term_grace_ms
            input_ms = self._limits.close_stdin_ms if close_stdin_ms is None else close_stdin_ms
            return await self._climb_down(grace_ms, input_ms)

    async def _climb_down(self, grace_ms: int, input_ms: int) -> Stopped:
        if self._stdin.is_open:
            self._stdin.close()
            await self._watch.wait(input_ms)
        stopped = await empty(self.container, grace_ms, self._watch)
        if not stopped.leftovers:
            await self.leader.gone.wait()  # it is dead; this only lets the loop notice
            self._owner.release(self)
            self._gone = stopped
        return stopped

    async def aclose(self) -> None:
        """End what still runs, without grace, and give all descriptors back; idempotent."""
        await self.stop(term_grace_ms=0, close_stdin_ms=0)
        self.stderr.last(0)
        self.stderr.close()
        self.stdout.close()
        self._stdin.close()
        self.leader.close()
        self._owner.forget(self)
