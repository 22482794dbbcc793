"""A socket, and real processes that call on it."""

import os
import select
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

CALLER = Path(__file__).parents[2] / "support/agents/caller.py"
NOBODY = -1
"""A daemon's number that no process has: then nothing is below the daemon."""


class Door:
    """Starts callers and lets them in."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.path = str(folder / "s")
        self._stack = stack
        self._listener = stack.enter_context(socket.socket(socket.AF_UNIX))
        self._listener.bind(self.path)
        self._listener.listen()
        self._listener.settimeout(10)

    def start(self, *argv: str, **environ: str) -> subprocess.Popen[bytes]:
        """Start a program that will call, with nothing but these in its environment."""
        process = subprocess.Popen(
            argv, env={"PATH": os.environ["PATH"], **environ}, stdin=subprocess.DEVNULL
        )
        self._stack.callback(process.wait, 10)
        return process

    def accept(self) -> socket.socket:
        """Let the next caller in; it ends when this is closed."""
        sock, _ = self._listener.accept()
        self._stack.callback(wait_for_hangup, sock)
        return sock

    def call(self, *steps: str, **environ: str) -> tuple[subprocess.Popen[bytes], socket.socket]:
        """Start a caller that takes these steps, and let it in."""
        process = self.start(sys.executable, str(CALLER), self.path, *steps, **environ)
        return process, self.accept()


def wait_for_hangup(sock: socket.socket) -> None:
    """Ask a caller to leave and wait until it has: orphans are waited for by nobody else."""
    with sock:
        sock.shutdown(socket.SHUT_WR)
        poll = select.poll()
        poll.register(sock, select.POLLHUP)
        assert poll.poll(10_000), "a caller did not leave"


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    """A door that is closed behind everybody."""
    with ExitStack() as stack:
        yield Door(tmp_path, stack)
