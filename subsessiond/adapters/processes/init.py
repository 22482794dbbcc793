"""Our starter, and the keeper above a child: first process (pid 1) of its namespace, or subreaper.

Run as a program of its own, never imported: `python -I -S -E init.py ORDER CONTROL`. Each import
costs every child its milliseconds and megabytes, so `signal` (4 ms for enum) and `json` stay out,
and what the standard library lacks in 3.11 goes through ctypes.

`ORDER` is a descriptor with one marshalled tuple, see `orders.Order`. `CONTROL` is our end
of a packet socket; on it go, in this order:

    to the daemon    ("ready", pid)                 the container stands; pid is its first process
    from the daemon  b"go"                          it holds every descriptor it needs
    to the daemon    ("failed", step, errno)        or, when the program runs: end of stream for a
                                                    cgroup, whose starter *becomes* the program;
                     ("started",)                   from the keeper of the other kinds, and
                     ("exit", code, signal)         when the program ended

Without a `go` nothing of the child ever runs. When the daemon goes, a keeper ends all that is below
it, and nothing can leave from there: what loses its parent comes to the keeper.
"""

from __future__ import annotations

import ctypes
import marshal
import os
import select
import sys

CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
MS_NOSUID, MS_NODEV, MS_NOEXEC = 2, 4, 8
MS_REC, MS_SLAVE = 0x4000, 0x80000
SIG_SETMASK = 2
SIGKILL, SIGTERM, SIGCHLD, SIGCONT = 9, 15, 17, 18
END_ALL = 64  # the last real-time signal, which nobody else sends
PR_SET_NAME, PR_SET_CHILD_SUBREAPER = 15, 36
SFD_NONBLOCK, SFD_CLOEXEC = 0o4000, 0o2000000
LAST_SIGNAL = 64
ENOENT, ENOTDIR = 2, 20
PACKET_BYTES = 4096

Env = dict[bytes, bytes]
libc = ctypes.CDLL(None, use_errno=True)


class StepError(Exception):
    """A step did not work: its name and the error number go to the daemon."""


def main(order_fd: int, control: int) -> None:
    """Build the container, wait for the word, become (or start) the program."""
    kind, join, argv, env, cwd = read_order(order_fd)
    os.set_inheritable(control, False)  # noqa: FBT003  # os's own signature
    try:
        if join:
            enter_cgroup(join)
        if kind == "pidns":
            enter_namespace(control)
        else:
            send(control, ("ready", os.getpid()))
        wait_for_go(control)
        if kind == "pidns":
            mount_proc()
        if not argv:
            os._exit(0)  # a probe: whether the container can be built was all to learn
        if kind == "descent":
            call("start", libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
        if kind != "cgroup":
            keep(control, argv, env, cwd)
        become(argv, env, cwd)
    except StepError as fault:
        send(control, ("failed", *fault.args))
    except BaseException as fault:  # noqa: BLE001  # our bug is a failed start, not an exit
        send(control, ("failed", "start", getattr(fault, "errno", None) or 0))
    os._exit(127)


def read_order(fd: int) -> tuple[str, bytes, tuple[bytes, ...], Env, bytes]:
    """Read the whole order and close its descriptor."""
    with open(fd, "rb") as file:
        kind, join, argv, env, cwd = marshal.load(file)  # noqa: S302  # the daemon wrote it
    return kind, join, argv, dict(env), cwd


def send(control: int, message: tuple[str | int | None, ...]) -> None:
    """Tell the daemon; where it is gone, nobody is left to be told."""
    try:
        os.write(control, marshal.dumps(message))
    except OSError:
        end_all()


def wait_for_go(control: int) -> None:
    """Return when the daemon is ready; leave when it went away."""
    if os.read(control, PACKET_BYTES) != b"go":
        os._exit(125)


def enter_cgroup(procs: bytes) -> None:
    """Move this process into its cgroup, before anything it could leave behind exists."""
    try:
        fd = os.open(procs, os.O_WRONLY)
        os.write(fd, b"0")
        os.close(fd)
    except OSError as fault:
        raise StepError("cgroup", fault.errno) from None


def call(step: str, result: int) -> None:
    """Turn the result of a C call into a step's fault."""
    if result != 0:
        raise StepError(step, ctypes.get_errno())


def enter_namespace(control: int) -> None:
    """Go on as first process of a new namespace; the process that came in says who and leaves."""
    uid, gid = os.getuid(), os.getgid()
    if libc.unshare(CLONE_NEWPID | CLONE_NEWNS) != 0:
        call("namespace", libc.unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS))
        keep_user(uid, gid)
    child = os.fork()
    if child:
        send(control, ("ready", child))
        os._exit(0)


def mount_proc() -> None:
    """Show this namespace's own processes in /proc."""
    # Why slave: what the user mounts later is seen here, what is mounted here stays here.
    propagation = ctypes.c_ulong(MS_REC | MS_SLAVE)
    call("mount", libc.mount(b"none", b"/", None, propagation, None))
    flags = ctypes.c_ulong(MS_NOSUID | MS_NODEV | MS_NOEXEC)
    call("mount", libc.mount(b"proc", b"/proc", b"proc", flags, None))


def keep_user(uid: int, gid: int) -> None:
    """Stay the same user inside the new user namespace."""
    lines = (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1"))
    try:
        for name, line in lines:
            with open(f"/proc/self/{name}", "w") as file:
                file.write(line)
    except OSError as fault:
        raise StepError("namespace", fault.errno) from None


def become(argv: tuple[bytes, ...], env: Env, cwd: bytes) -> None:
    """Replace this process by the program, with clean signals."""
    try:
        os.chdir(cwd)
    except OSError as fault:
        raise StepError("cwd", fault.errno) from None
    for number in range(1, LAST_SIGNAL + 1):
        libc.signal(number, None)
    libc.sigprocmask(SIG_SETMASK, signal_set(), None)
    raise StepError("exec", execute(argv, env))


def execute(argv: tuple[bytes, ...], env: Env) -> int:
    """Try each place on the child's own PATH; give back the error that says most."""
    name = argv[0]
    paths = [b""] if b"/" in name else env.get(b"PATH", b"/usr/bin:/bin").split(b":")
    worst = ENOENT
    for path in (os.path.join(folder, name) for folder in paths):
        try:
            os.execve(path, argv, env)  # noqa: S606  # no shell is meant
        except OSError as fault:
            # Why lexists: a folder on PATH that this user may not enter does not hold the program.
            elsewhere = len(paths) > 1 and not os.path.lexists(path)
            if fault.errno not in (ENOENT, ENOTDIR) and not elsewhere:
                worst = fault.errno or worst
    return worst


def signal_set(*numbers: int) -> ctypes.Array[ctypes.c_char]:
    """A sigset_t with these signals."""
    mask = ctypes.create_string_buffer(128)
    libc.sigemptyset(mask)
    for number in numbers:
        libc.sigaddset(mask, number)
    return mask


def keep(control: int, argv: tuple[bytes, ...], env: Env, cwd: bytes) -> None:
    """Start the leader below us, forward TERM, reap, tell its end; leave when all is empty."""
    # Why all: what a child sends to whoever it finds must not end its keeper before it.
    libc.sigprocmask(SIG_SETMASK, signal_set(*range(1, LAST_SIGNAL + 1)), None)
    signals = libc.signalfd(-1, signal_set(SIGTERM, SIGCHLD, END_ALL), SFD_NONBLOCK | SFD_CLOEXEC)
    if signals < 0:
        raise StepError("start", ctypes.get_errno())
    libc.prctl(PR_SET_NAME, b"subsession-init", 0, 0, 0)
    leader: int | None = start_leader(argv, env, cwd)
    # Why: the pipes belong to the program; held here, their end would never be seen.
    null = os.open("/dev/null", os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    os.close(null)
    os.chdir("/")
    send(control, ("started",))
    poll = select.poll()
    poll.register(signals, select.POLLIN)
    poll.register(control, 0)
    while True:
        for fd, _ in poll.poll():
            if fd == control:
                end_all()
            forward(signals, leader)
            leader = reap(control, leader)


def start_leader(argv: tuple[bytes, ...], env: Env, cwd: bytes) -> int:
    """Start the program in a session of its own; returns when it runs."""
    told, tell = os.pipe()
    leader = os.fork()
    if leader == 0:
        try:
            os.setsid()
            become(argv, env, cwd)
        except StepError as fault:
            os.write(tell, marshal.dumps(fault.args))
        os._exit(127)
    os.close(tell)
    answer = os.read(told, PACKET_BYTES)
    os.close(told)
    if answer:
        raise StepError(*marshal.loads(answer))  # noqa: S302  # our own fork wrote it
    return leader


def forward(signals: int, leader: int | None) -> None:
    """Pass TERM on to the leader's group; SIGCHLD only wakes us up."""
    try:
        while record := os.read(signals, 128):
            if int.from_bytes(record[:4], sys.byteorder) == END_ALL:
                end_all()
            # Why not later: once the leader was waited for, its number may be a stranger's.
            if leader and int.from_bytes(record[:4], sys.byteorder) == SIGTERM:
                os.kill(-leader, SIGTERM)
                os.kill(-leader, SIGCONT)  # what is stopped hears nothing until it goes on
    except (BlockingIOError, ProcessLookupError, PermissionError):
        return


def reap(control: int, leader: int | None) -> int | None:
    """Take every ended process; leave when there is none left to wait for.

    Returns:
        The leader, as long as nobody has waited for it.
    """
    try:
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return leader
            if pid == leader:
                leader = None
                code = os.waitstatus_to_exitcode(status)
                how = ("exit", code, None) if code >= 0 else ("exit", None, -code)
                send(control, how)
    except ChildProcessError:
        os._exit(0)


def end_all() -> None:
    """Leave, and let nothing here outlive us.

    The first process of a namespace takes all with it. Any other keeper kills its children (whose
    numbers are theirs until they are waited for) until theirs, which come to it, are gone as well.
    """
    while os.getpid() != 1:
        for pid in children():
            libc.kill(pid, SIGKILL)  # whom this user may not kill he alone can end
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            break
    os._exit(125)


def children() -> list[int]:
    """Read who hangs on us now."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", "rb") as file:
            return [int(pid) for pid in file.read().split()]
    except FileNotFoundError:  # a kernel without this file
        return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if is_child(pid)]


def is_child(pid: int) -> bool:
    """Whether a process hangs on us."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1]) == os.getpid()
    except OSError:
        return False


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
