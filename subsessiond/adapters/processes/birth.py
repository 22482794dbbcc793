"""How a child comes into being: pipes, starter, container, word to go.

Nothing of the child runs before the daemon holds every descriptor it needs to watch and to end it;
whatever fails on the way, all that was made is unmade before the fault is raised.
"""

import asyncio
import contextlib
import errno
import marshal
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack, ExitStack
from typing import Any, NamedTuple, TypeVar

from subsessiond.adapters.processes.child import Born
from subsessiond.adapters.processes.containers.base import Container
from subsessiond.adapters.processes.containers.cgroup import Cgroup
from subsessiond.adapters.processes.containers.descent import Descent
from subsessiond.adapters.processes.containers.pidns import PidNamespace
from subsessiond.adapters.processes.ladder import Watch, empty
from subsessiond.adapters.processes.leader import KeptLeader, Leader
from subsessiond.adapters.processes.orders import Order
from subsessiond.adapters.processes.orphans import Orphans
from subsessiond.adapters.processes.pipes import Ends, open_pipes
from subsessiond.adapters.processes.proc import ProcTable
from subsessiond.adapters.processes.words import explain
from subsessiond.model.process import ContainerKind, Identity, LaunchFault

L = TypeVar("L", bound=Leader)

START_LIMIT_S = 30
"""A starter answers in 20 ms; on a machine that pages, in seconds. Later it is broken."""

_DISCARD_LIMIT_S = 2
_PACKET_BYTES = 4096
_INIT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "init.py")
_KINDS: dict[ContainerKind, type[Container]] = {
    ContainerKind.CGROUP: Cgroup,
    ContainerKind.PIDNS: PidNamespace,
    ContainerKind.DESCENT: Descent,
}


class Ground(NamedTuple):
    """What a child is built on."""

    table: ProcTable
    orphans: Orphans
    kind: ContainerKind
    group: str
    """The child's cgroup; empty for the other kinds."""
    marker: str
    told: Callable[[Identity], None]
    """Told who the child is before anything of it runs."""


class Names(NamedTuple):
    """What the words of a fault may name."""

    argv0: str
    cwd: str


def container_of(table: ProcTable, identity: Identity) -> Container:
    """Give the container that an identity names.

    Raises:
        ValueError: no such kind here, or a group that cannot be ours.
    """
    return _KINDS[ContainerKind(identity.container)](table, identity)


def _contain(ground: Ground, identity: Identity, leader: Leader) -> Container:
    container = container_of(ground.table, identity)
    if isinstance(container, Descent) and isinstance(leader, KeptLeader):
        container.inherited = lambda all_: ground.orphans.strays(all_) if leader.is_killed else ()
    return container


async def start(ground: Ground, order: Order, names: Names) -> tuple[Born, Container]:
    """Start one child.

    Raises:
        LaunchFault: the program cannot be run; the words say why.
        OSError: the daemon lacks something (descriptors, memory, processes).
    """
    async with AsyncExitStack() as undo:
        control, ends, leader = _run_starter(ground, order, undo)
        async with asyncio.timeout(START_LIMIT_S):
            pid = await _expect_ready(control, names, ends.stderr)
            if ground.kind is ContainerKind.PIDNS:
                leader = await _change_leader(ground, leader, pid, undo)
            identity = _identify(ground, pid)
            container = _contain(ground, identity, leader)
            undo.push_async_callback(empty, container, 0, Watch(leader_gone=True))
            ground.told(identity)
            control.send(b"go")
            await _expect_start(control, names, ground.kind, ends.stderr)
        if isinstance(leader, KeptLeader):
            leader.listen(control)
        else:
            control.close()
        undo.pop_all()
        return Born(identity, container, leader, *ends[:3]), container


def probe(kind: ContainerKind, group: str, order: Order) -> bool:
    """Build a container with nothing in it, and tell whether that works here. Blocks for 20 ms."""
    with ExitStack() as stack:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        stack.callback(ours.close)
        stack.callback(theirs.close)
        ours.settimeout(START_LIMIT_S)
        fd = order.write(kind, _join(group))
        stack.callback(os.close, fd)
        starter = _popen("", fd, theirs.fileno(), (subprocess.DEVNULL,) * 3)
        stack.callback(starter.wait)
        theirs.close()
        ready = _listen(ours)
        if ready[:1] != ("ready",):
            return False
        ours.send(b"go")
        works = not _listen(ours)
        starter.wait()
        # Why: where we inherit orphans, the first process of the namespace has become our child.
        with contextlib.suppress(ChildProcessError):
            os.waitid(os.P_PID, ready[1], os.WEXITED)
        return works


def _listen(control: socket.socket) -> tuple[Any, ...]:
    packet = control.recv(_PACKET_BYTES)
    message: tuple[Any, ...] = marshal.loads(packet) if packet else ()  # noqa: S302  # our own
    return message


def _join(group: str) -> str:
    return os.path.join(group, "cgroup.procs") if group else ""


def _run_starter(
    ground: Ground, order: Order, undo: AsyncExitStack
) -> tuple[socket.socket, Ends, Leader]:
    with ExitStack() as theirs_only:
        ends = open_pipes(undo, theirs_only)
        control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        undo.callback(control.close)
        theirs_only.callback(theirs.close)
        control.setblocking(False)  # noqa: FBT003  # socket's own signature
        order_fd = order.write(ground.kind, _join(ground.group))
        theirs_only.callback(os.close, order_fd)
        starter = _popen(ground.marker, order_fd, theirs.fileno(), ends.theirs)
    # Why: from here on the process is waited for by us alone; the object must not try.
    starter.returncode = 0
    # Why by kind: here the starter becomes the keeper, or the program itself, or it only leaves.
    first = KeptLeader if ground.kind is ContainerKind.DESCENT else Leader
    return control, ends, _adopt(ground, first, starter.pid, undo)


def _adopt(ground: Ground, make: Callable[[int], L], pid: int, undo: AsyncExitStack) -> L:
    """Become the one who waits for a fresh process; where that fails, end it at once."""
    ground.orphans.leave_alone(pid)
    try:
        leader = make(pid)
    except OSError:
        # It waits for the word to go, so nothing of the child has run; and nobody has waited for
        # it, so the number is still its own.
        os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):  # a namespace's init comes to us later
            os.waitid(os.P_PID, pid, os.WEXITED)
        ground.orphans.forget(pid)
        raise
    undo.push_async_callback(_discard, ground, leader)
    return leader


async def _discard(ground: Ground, leader: Leader) -> None:
    leader.kill()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_DISCARD_LIMIT_S):
            await leader.gone.wait()
    _let_go(ground, leader)


def _let_go(ground: Ground, leader: Leader) -> None:
    leader.reap()
    leader.close()
    ground.orphans.forget(leader.pid)


async def _change_leader(
    ground: Ground, starter: Leader, pid: int, undo: AsyncExitStack
) -> KeptLeader:
    """Go over from the starter, which leaves, to the first process of the namespace."""
    init = _adopt(ground, KeptLeader, pid, undo)
    await starter.gone.wait()
    _let_go(ground, starter)
    return init


def _identify(ground: Ground, pid: int) -> Identity:
    stat = ground.table.stat(pid)
    if stat is None:  # a child that nobody waited for keeps its entry
        raise ProcessLookupError(errno.ESRCH, "a child is not in the process table")
    return Identity(
        pid=pid,
        start_ticks=stat.start_ticks,
        boot_id=ground.table.boot_id,
        container=str(ground.kind),
        cgroup=ground.group,
        marker=ground.marker,
    )


async def _hear(control: socket.socket) -> tuple[Any, ...]:
    """Hear one message; empty when the other end is closed."""
    packet = await asyncio.get_running_loop().sock_recv(control, _PACKET_BYTES)
    message: tuple[Any, ...] = marshal.loads(packet) if packet else ()  # noqa: S302  # our own
    return message


async def _expect_ready(control: socket.socket, names: Names, stderr: int) -> int:
    match await _hear(control):
        case ("ready", int(pid)):
            return pid
        case ("failed", str(step), int(number)):
            raise explain(step, number, names.argv0, names.cwd)
        case _:
            raise LaunchFault(_died(stderr), names.argv0)


async def _expect_start(
    control: socket.socket, names: Names, kind: ContainerKind, stderr: int
) -> None:
    match await _hear(control):
        case ("started",):
            return
        case ("failed", str(step), int(number)):
            raise explain(step, number, names.argv0, names.cwd)
        case () if kind is ContainerKind.CGROUP:
            return  # the starter became the program, which closed its end
        case _:
            raise LaunchFault(_died(stderr), names.argv0)


def _died(stderr: int) -> str:
    """Say that the starter died, with its last words: they are all there is to find out why."""
    try:
        said = os.read(stderr, _PACKET_BYTES).decode(errors="replace").strip()
    except OSError:
        said = ""
    words = "the starter died before the program began"
    return f"{words}: {said.splitlines()[-1]}" if said else words


def _popen(
    marker: str, order_fd: int, control_fd: int, stdio: tuple[int, ...]
) -> "subprocess.Popen[bytes]":
    name, _, value = marker.partition("=")
    env = {name: value} if name else {}
    if "LD_LIBRARY_PATH" in os.environ:  # some interpreters do not find their library without
        env["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-E", _INIT, str(order_fd), str(control_fd)],
        env=env,
        stdin=stdio[0],
        stdout=stdio[1],
        stderr=stdio[2],
        start_new_session=True,
        pass_fds=(order_fd, control_fd),
    )
