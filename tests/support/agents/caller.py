"""Connects to a unix socket after a few steps, and stays until the socket is closed.

caller.py SOCKET STEP...: `orphan` (its parent leaves), `setsid`, `clean` (starts anew without an
environment), `hide` (its /proc entry becomes root's), `terminal` (below a shell of its own, on a
terminal), `below` (its parent waits), `leave` (connects and leaves at once), `inherit` (its child
keeps the connection).
"""

import contextlib
import ctypes
import os
import pty
import socket
import sys
import time

PR_SET_DUMPABLE = 4


def go_on_in_child() -> None:
    """Leave the rest to a child and end; the child goes on when its parent has gone."""
    parent = os.getpid()
    if os.fork():
        os._exit(0)
    while os.getppid() == parent:
        time.sleep(0.001)


def go_on_without_environment(path: str, steps: list[str]) -> None:
    """Start this program anew, with nothing in its environment."""
    os.execve(sys.executable, [sys.executable, "-S", __file__, path, *steps], {})


def go_on_at_terminal() -> None:
    """Leave the rest to a child whose session has a terminal; read that until it ends."""
    pid, terminal = pty.fork()
    if pid:
        with contextlib.suppress(OSError):  # the terminal is gone
            while os.read(terminal, 1024):
                pass
        os.waitpid(pid, 0)
        os._exit(0)


def go_on_below() -> None:
    """Leave the rest to a child, and wait for it and for all that it leaves the rest to."""
    ends, held = os.pipe()
    if pid := os.fork():
        os.close(held)
        os.read(ends, 1)
        os.waitpid(pid, 0)
        os._exit(0)


def hide() -> None:
    """Give this process's /proc entry away, as programs with secrets do."""
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


STEPS = {
    "orphan": go_on_in_child,
    "below": go_on_below,
    "setsid": os.setsid,
    "hide": hide,
    "terminal": go_on_at_terminal,
}


def call(path: str, steps: list[str]) -> None:
    """Take the steps, then connect and wait."""
    sock = socket.socket(socket.AF_UNIX)
    while steps:
        step = steps.pop(0)
        if step == "clean":
            go_on_without_environment(path, steps)
        elif step in ("leave", "inherit"):
            sock.connect(path)
            if step == "leave":
                return
            go_on_in_child()
            sock.recv(1)
            return
        else:
            STEPS[step]()
    sock.connect(path)
    sock.recv(1)


if __name__ == "__main__":
    arguments = [word for word in sys.argv[1:] if word not in ("mcp", "attach")]
    call(arguments[0], arguments[1:])
