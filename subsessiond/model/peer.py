"""The process at the other end of a unix socket, as the kernel and /proc describe it."""

from subsessiond.model.base import Value
from subsessiond.model.process import Identity


class Spot(Value, frozen=True, kw_only=True):
    """One process, named so that a reused number is told apart."""

    pid: int
    start_ticks: int


class Peer(Value, frozen=True, kw_only=True):
    """What is known of a caller's process, read once when it connected.

    Nothing in it is believed because the process says so, except the mark in its environment, and
    that can only take rights away.
    """

    pid: int
    boot_id: str = ""
    line: tuple[Spot, ...] = ()
    """The process and its ancestors, itself first, up to the first process of the machine."""
    below_daemon: bool = False
    """This daemon is one of its ancestors: some child of ours started it."""
    marked: str = ""
    """The node its environment names; of several, the nearest."""
    cgroup: str = ""
    """Its place in the unified hierarchy."""
    has_terminal: bool = False
    """It has a controlling terminal whose session was begun by one of its ancestors."""
    agent: Identity | None = None
    """For an MCP bridge: the agent above it, past launchers."""
    bridge: Identity | None = None
    """The process itself, where it is an MCP bridge."""
    problem: str = ""
    """Why it cannot be shown to be in nobody's territory; empty when it can."""
