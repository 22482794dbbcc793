"""Processes of child agents, as values: what to start, who it is, how it ended.

Owns the vocabulary shared by the engine, the runners and the adapter that starts processes. It
knows nothing of operating systems: every number in it was read by the adapter.
"""

from enum import StrEnum
from typing import Final

from subsessiond.model.base import Value


class ContainerKind(StrEnum):
    """How all processes of one child are held together, strongest first."""

    CGROUP = "cgroup"
    """A cgroup of its own: one write ends all of it, and the kernel says when it is empty."""
    PIDNS = "pidns"
    """A process namespace of its own: when its first process ends, the kernel ends the rest."""
    DESCENT = "descent"
    """Descent from the first process, plus a mark in the environment."""
    GROUP = "group"
    """A process group only (systems other than Linux): what leaves the group is not found."""


AGENT: Final = "agent"
"""The `container` of a root's agent: what runs below it is that root's."""

BRIDGE: Final = "bridge"
"""The `container` of an MCP bridge, which may outlive its agent and is its root all the same."""

ATTACHED: Final = "attached"
"""The `container` of a process that somebody else started and that joined as a child: nothing holds
what belongs to it together, and none of it is ours to kill.
"""


class Identity(Value, frozen=True, kw_only=True):
    """Enough to recognise one child's processes, and to end them, after the daemon restarted."""

    pid: int
    """The first process of the container: the program itself, in `pidns` our init above it."""
    start_ticks: int
    """When that process started, in clock ticks since boot: tells a reused number apart."""
    boot_id: str
    """The boot it belongs to; after another boot nothing of it can be alive."""
    container: str
    """One of `ContainerKind`; `AGENT`, `BRIDGE` or `ATTACHED`."""
    cgroup: str = ""
    """Absolute path of the cgroup; empty for the other kinds."""
    marker: str
    """`NAME=value` as it stands in the environment of every process of the child."""
    name: str = ""
    """What the program was called when it was looked at, for people; empty where nobody asked."""

    @property
    def process(self) -> tuple[str, int, int]:
        """What tells this process from every other one, of any boot."""
        return self.boot_id, self.pid, self.start_ticks


class Exit(Value, frozen=True, kw_only=True):
    """How the program ended: exactly one of the two is set, or none when the status was lost."""

    code: int | None = None
    """Exit status, 0 to 255."""
    signal: int | None = None
    """Number of the signal that ended it."""

    @property
    def is_unknown(self) -> bool:
        """Whether it is proven gone, but nobody could tell how it ended."""
        return self.code is None and self.signal is None


class Launch(Value, frozen=True, kw_only=True):
    """One program to start for one node."""

    node_id: str
    argv: tuple[str, ...]
    """Program and arguments; each is at most 128 KiB."""
    cwd: str
    env: tuple[tuple[str, str], ...] = ()
    """The whole environment. Only the mark of the node is added to it."""
    stdin: bytes | None = b""
    """Bytes are written and then closed; `None` keeps a pipe open for the protocol."""


class Stopped(Value, frozen=True, kw_only=True):
    """What a stop came to."""

    forced: bool = False
    """Whether something had to be killed because it did not leave when asked."""
    leftovers: tuple[str, ...] = ()
    """Words for a person, one per process that is still there; empty means proven gone."""


class ProcessFault(Exception):
    """Something went wrong between the daemon and a process of a child."""


class LaunchFault(ProcessFault):
    """The program could not be started; nothing of it is left behind.

    Args:
        reason: why, in a person's words.
        argv0: the program that was asked for.
    """

    def __init__(self, reason: str, argv0: str) -> None:
        super().__init__(reason, argv0)
        self.reason = reason
        self.argv0 = argv0

    def __str__(self) -> str:
        """One sentence, for people."""
        return f"cannot start {self.argv0!r}: {self.reason}"


class InputClosed(ProcessFault):
    """Standard input of the process is closed: it left, or the input was ended before."""
