"""Processes of children, as values that outlive the daemon that made them."""

from subsessiond.model.base import Value


class Identity(Value, frozen=True, kw_only=True):
    """Enough to prove a process ours, and to end it, after the daemon was restarted."""

    pid: int
    start_ticks: int
    boot_id: str
    container: str
    marker: str
    cgroup: str = ""


class Exit(Value, frozen=True, kw_only=True):
    """How a leader ended: a status or a signal; neither when it is proven lost."""

    code: int | None = None
    signal: int | None = None


class Launch(Value, frozen=True, kw_only=True):
    """What to start."""

    node_id: str
    argv: tuple[str, ...]
    cwd: str
    env: tuple[tuple[str, str], ...] = ()
    stdin: bytes | None = b""
    """Written and then closed; none = kept open for the protocol."""


class Stopped(Value, frozen=True, kw_only=True):
    """What a ladder achieved."""

    forced: bool = False
    leftovers: tuple[str, ...] = ()
    """Words for each process that cannot be proven gone."""
