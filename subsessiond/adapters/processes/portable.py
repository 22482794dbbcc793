"""Children on a system that is not Linux: process groups, and plain words about what they lack."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Callable
from contextlib import ExitStack

from subsessiond.adapters.processes.child import Born, Limits, Process
from subsessiond.adapters.processes.orders import Order, marker_of, order_of
from subsessiond.adapters.processes.pipes import Ends, open_pipes
from subsessiond.adapters.processes.words import explain
from subsessiond.model.process import ContainerKind, Exit, Identity, Launch, Stopped

LOOK_S = 0.1
"""How often the children are asked whether they ended: one timer for all. A tenth of what a person
notices, and ten cheap calls a second for each child."""

MISSING: tuple[str, ...] = (
    "a process that starts a session of its own is not found and lives on after a stop",
    "a process that an earlier daemon left cannot be proven ours, so it is not ended",
    "the end of a child is noticed after a tenth of a second, not at once",
    "a process that somebody else started cannot be attached",
)
"""What this system does not offer, in words for `doctor` and the log."""


class PolledLeader:
    """A child process that is asked, now and then, whether it has ended."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.gone = asyncio.Event()
        self.on_exit: Callable[[], None] = lambda: None
        self._status: Exit | None = None

    @property
    def exit(self) -> Exit | None:
        """How it ended; `None` while it runs."""
        return self._status

    @property
    def exited(self) -> asyncio.Event:
        """Set when it has ended."""
        return self.gone

    def look(self) -> None:
        """Note its end, if it has ended. Its number is free from then on."""
        if self._status is not None:
            return
        try:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
        except ChildProcessError:
            self._settle(Exit())
            return
        if pid:
            code = os.waitstatus_to_exitcode(status)
            self._settle(Exit(code=code) if code >= 0 else Exit(signal=-code))

    def _settle(self, how: Exit) -> None:
        self._status = how
        self.gone.set()
        self.on_exit()

    def reap(self) -> bool:
        """Tell whether it is gone; looking has freed its number."""
        return self.gone.is_set()

    def close(self) -> None:
        """Hold nothing: there is no descriptor to give back."""


class Group:
    """The processes of one group, as far as signals can tell.

    Its number is its leader's. It stays taken while anybody is in the group; once it was seen empty
    it is never signalled again.
    """

    def __init__(self, leader: PolledLeader) -> None:
        self._leader = leader
        self._empty = False

    def is_empty(self) -> bool:
        """Whether the leader ended and nobody is left in its group."""
        self._leader.look()
        if self._leader.gone.is_set() and not self._empty:
            self._empty = not self._send(0)
        return self._empty

    def terminate_leader(self) -> None:
        """Ask the group to leave."""
        self._send(signal.SIGTERM)

    terminate_all = terminate_leader

    def kill(self) -> None:
        """Kill the group."""
        self._send(signal.SIGKILL)

    def _send(self, number: int) -> bool:
        """Signal the group; tells whether there is one."""
        if self._empty:
            return False
        try:
            os.killpg(self._leader.pid, number)
        except ProcessLookupError:
            return False
        except PermissionError:  # somebody in it belongs to another user, or is a zombie (macOS)
            return not self._leader.gone.is_set()
        return True

    def leftovers(self) -> tuple[str, ...]:
        """Words for a group that does not end."""
        return (f"process group {self._leader.pid} is still there after it was killed",)


class PortableProcesses:
    """Children of one daemon where there are no containers; `missing` says what that costs.

    Args:
        term_grace_ms: between asking a child to leave and killing it.
        close_stdin_ms: between the end of its input and asking.
        stderr_keep_bytes: how much of what each child wrote as errors is kept.
    """

    missing = MISSING
    guests = None
    """Who joins cannot be told from who has its number later, and so nobody can join."""

    def __init__(
        self,
        *,
        term_grace_ms: int = 3_000,
        close_stdin_ms: int = 1_000,
        stderr_keep_bytes: int = 64 * 1024,
    ) -> None:
        self.kind: str = str(ContainerKind.GROUP)
        self._limits = Limits(term_grace_ms, close_stdin_ms, stderr_keep_bytes)
        self._leaders: dict[int, PolledLeader] = {}
        self._open: set[Process] = set()
        self._timer: asyncio.TimerHandle | None = None

    async def spawn(self, launch: Launch) -> Process:
        """Start a program in a session and group of its own.

        Raises:
            LaunchFault: it cannot be run; nothing of it is left.
            ValueError: the node id would not do as a file name.
        """
        marker = marker_of(launch.node_id)
        order = order_of(launch)
        try:
            pid, ends = _start(order)
        except OSError as fault:
            step = "cwd" if fault.filename == order.cwd else "exec"
            raise explain(step, fault.errno or 0, launch.argv[0], launch.cwd) from fault
        leader = self._leaders[pid] = PolledLeader(pid)
        identity = Identity(pid=pid, start_ticks=0, boot_id="", container=self.kind, marker=marker)
        process = Process(Born(identity, Group(leader), leader, *ends[:3]), self._limits, self)
        self._open.add(process)
        self._look()
        if launch.stdin is not None:
            process.feed(launch.stdin)
        return process

    def _look(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        for leader in self._leaders.values():
            leader.look()
        running = any(not leader.gone.is_set() for leader in self._leaders.values())
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(LOOK_S, self._look) if running else None

    def release(self, process: Process) -> None:
        """Let go of a group that is empty."""
        self._leaders.pop(process.leader.pid, None)

    def forget(self, process: Process) -> None:
        """Let go of a closed process."""
        self._open.discard(process)

    async def end(self, identity: Identity, grace_ms: int | None = None) -> Stopped:
        """End a child of this daemon; of an earlier one's nothing can be proven here.

        Returns:
            What the stop came to; for another daemon's child words that say why nothing was done.
        """
        for process in tuple(self._open):
            if process.identity == identity:
                return await process.stop(term_grace_ms=grace_ms)
        words = f"process {identity.pid} of an earlier daemon cannot be proven ours on this system"
        return Stopped(forced=False, leftovers=(words,))

    async def end_named(self, node_id: str) -> Stopped:
        """Say that nothing of an earlier daemon can be found by name here."""
        words = f"what an earlier daemon may have started for {node_id} cannot be found here"
        return Stopped(forced=False, leftovers=(words,))

    def is_alive(self, identity: Identity) -> bool:
        """Whether anything in the group of a child of this daemon can still run."""
        leader = self._leaders.get(identity.pid)
        return leader is not None and not Group(leader).is_empty()

    def pids_of(self, identity: Identity) -> tuple[int, ...]:
        """The leader's number while it runs; others are not known here."""
        leader = self._leaders.get(identity.pid)
        return (identity.pid,) if leader is not None and not leader.gone.is_set() else ()

    async def aclose(self) -> None:
        """End all children and give everything back; idempotent."""
        await asyncio.gather(*(process.stop() for process in tuple(self._open)))
        await asyncio.gather(*(process.aclose() for process in tuple(self._open)))
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _start(order: Order) -> tuple[int, Ends]:
    with ExitStack() as undo, ExitStack() as theirs_only:
        ends = open_pipes(undo, theirs_only)
        stdin, stdout, stderr = ends.theirs
        started = subprocess.Popen(
            order.argv,
            cwd=order.cwd,
            env=dict(order.env),
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
        started.returncode = 0  # from here on it is waited for by its leader object alone
        undo.pop_all()
    return started.pid, ends
