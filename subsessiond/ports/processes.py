"""Processes in their containers, and those of somebody else that are only watched."""

from collections.abc import Callable
from typing import Protocol

from subsessiond.model.process import Exit, Identity, Launch, Stopped


class Process(Protocol):
    """A started process with its container."""

    identity: Identity

    async def read_stdout(self) -> bytes:
        """Next bytes; empty at the end."""

    async def read_stderr(self) -> bytes:
        """What it wrote to stderr since the last call and is still kept; empty at the end."""

    def stderr_tail(self, limit_bytes: int) -> bytes:
        """The last bytes of what it wrote to stderr."""

    @property
    def stderr_bytes(self) -> int:
        """All it ever wrote to stderr."""

    @property
    def stderr_lines(self) -> int:
        """Lines it ever wrote to stderr, a last one without its end included."""

    async def write(self, data: bytes) -> None:
        """Write to its stdin."""

    async def close_stdin(self) -> None:
        """End its input."""

    async def wait_exit(self) -> Exit:
        """Its leader's exit, though something it started holds the pipes."""

    async def stop(self, *, term_grace_ms: int | None = None) -> Stopped:
        """Climb the ladder until nothing of the container is left, or say what is.

        With a grace of 0 nobody is asked, and calls that wait are hurried too.
        """

    async def aclose(self) -> None:
        """Give its descriptors back."""


class Processes(Protocol):
    """Containers of this machine."""

    kind: str

    async def spawn(self, launch: Launch) -> Process:
        """Start one process in a container of its own; LaunchFault leaves nothing behind."""

    async def end(self, identity: Identity) -> Stopped:
        """End what an earlier daemon left, by proven identity only."""

    async def end_named(self, node_id: str) -> Stopped:
        """End what an earlier daemon left of a node whose identity was not recorded."""

    def pids_of(self, identity: Identity) -> tuple[int, ...]:
        """All processes in that container now."""

    async def aclose(self) -> None:
        """End everything and give all descriptors back."""


class Guest(Protocol):
    """A process that somebody else started and that joined as a child."""

    async def wait_exit(self) -> Exit:
        """Its end, and how it ended where the kernel tells those who are not its parent."""

    def ask_to_leave(self) -> None:
        """Send it TERM, and nobody who has its number now."""

    def close(self) -> None:
        """Watch it no longer; idempotent."""


class Guests(Protocol):
    """Processes that somebody else started. None of them is ever killed."""

    def watch(self, identity: Identity) -> Guest | None:
        """Watch a process; none when it has ended, or its number is another's."""

    def left(self, identity: Identity) -> tuple[str, ...]:
        """Say what is left of it and of what carries its mark; empty when nothing is."""

    def when_empty(self, identity: Identity, tell: Callable[[], None]) -> None:
        """Call back once, not at once, when nothing of that is left any more."""
