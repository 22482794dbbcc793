"""A program that leaves processes behind in one of several ways, and notes each of them.

`family.py SHAPE NOTES MARK END`: every process appends one line to NOTES, with its namespace, its
number there, and when it started; MARK, a number, stands on its command line. Once all of a shape
are there a line `ready` follows. With END `leave` the first process then ends; with `stay` it waits
for its end. All end by themselves after LIFE_S.
"""

import contextlib
import os
import signal
import sys
import time

LIFE_S = 120
POLITE = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
GENERATION_S = 0.004


def note(word: str = "") -> None:
    """Write down who this is, or a word."""
    with open("/proc/self/stat", "rb") as file:
        start = file.read().rpartition(b")")[2].split()[19].decode()
    line = word or f"{os.readlink('/proc/self/ns/pid')} {os.getpid()} {start}"
    fd = os.open(NOTES, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    os.write(fd, f"{line}\n".encode())
    os.close(fd)


def fork() -> bool:
    """Fork; true in the new process."""
    return os.fork() == 0


def deafen() -> None:
    """Ignore every polite signal; programs that are run from here inherit it."""
    for number in POLITE:
        signal.signal(number, signal.SIG_IGN)


def rest(*, hidden: bool = False) -> None:
    """Note oneself and sleep; hidden: without the environment that this was started with."""
    note()
    env = {} if hidden else dict(os.environ)
    os.execve("/bin/sleep", ["sleep", str(LIFE_S), MARK], env)


def detach() -> None:
    """Become somebody whose parent is gone, in a session of one's own; only he returns."""
    if fork():
        os.setsid()
        if fork():
            return
        os._exit(0)
    os.wait()
    raise Elsewhere


class Elsewhere(Exception):
    """This is not the process that was meant."""


def chain() -> None:
    """Launcher and worker below the first process; the worker is deaf."""
    if fork():
        if fork():
            deafen()
            rest()
        note()
        os.wait()
        os._exit(0)


def hidden() -> None:
    """One that has lost session, parent and mark, and is deaf."""
    detach()
    deafen()
    rest(hidden=True)


def deaf() -> None:
    """The first process and its child hear nothing polite."""
    deafen()
    if fork():
        rest()


def holder() -> None:
    """One that holds the first process's output in a session of its own."""
    if fork():
        os.setsid()
        rest()


def groups() -> None:
    """A line of processes that change group and session again and again; each parent leaves."""
    detach()
    for _ in range(4):
        if not fork():
            os._exit(0)
        os.setpgid(0, 0)
        if not fork():
            os._exit(0)
        os.setsid()
    if fork():
        os.setpgid(0, 0)
        rest(hidden=True)
    rest()


def mover() -> None:
    """One that is always somebody else: it forks on and leaves, without a mark."""
    detach()
    os.execve(sys.executable, [sys.executable, *OPTIONS, __file__, "moves", *sys.argv[2:]], {})


def moves() -> None:
    """Go on as a mover."""
    note("moves")
    until = time.monotonic() + LIFE_S
    while time.monotonic() < until:
        if not fork():
            os._exit(0)
        os.setsid()
        time.sleep(GENERATION_S)
    os._exit(0)


def rebel() -> None:
    """As hidden; the first process then kills what stands above it."""
    hidden()


SHAPES = {
    shape.__name__: (shape, lines)
    for shape, lines in (
        *((chain, 3), (hidden, 2), (deaf, 2), (holder, 2)),
        *((groups, 3), (mover, 2), (rebel, 2), (moves, 0)),
    )
}
"""Each with how many lines it writes before it is complete."""
OPTIONS = ("-I", "-S")
SHAPE, NOTES, MARK, END = sys.argv[1:5]


def is_complete(lines: int) -> bool:
    """Whether all have noted themselves."""
    with open(NOTES, encoding="utf-8") as file:
        return len(file.readlines()) >= lines


def main() -> None:
    """Leave what is to be left, then wait or end."""
    shape, lines = SHAPES[SHAPE]
    if shape is not moves:
        note()
    with contextlib.suppress(Elsewhere):
        shape()
    while not is_complete(lines):
        time.sleep(0.005)
    note("ready")
    if SHAPE == "rebel":
        os.kill(os.getppid(), signal.SIGKILL)
    if END == "stay":
        time.sleep(LIFE_S)


if __name__ == "__main__":
    main()
