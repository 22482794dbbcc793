"""A terminal of its own for a real program: what it shows is kept, what a person types is sent."""

import fcntl
import os
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

WITHIN_S: Final = 25.0
TAKE_IT: Final = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    "os.execvp(sys.argv[1], sys.argv[1:])"
)
"""The first thing a program on a terminal of its own has to do."""


class Terminal:
    """One program, at whose terminal the test sits.

    Args:
        argv: the program and its words.
        env: its environment.
        cwd: where it runs.
        columns: how wide the terminal is.
    """

    def __init__(
        self, *argv: str, env: Mapping[str, str], cwd: Path | None = None, columns: int = 80
    ) -> None:
        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", TAKE_IT, *argv],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=dict(env),
            cwd=cwd,
            start_new_session=True,
        )
        os.close(slave)
        self._bytes = b""

    @property
    def seen(self) -> str:
        """Everything that was shown, with plain line ends."""
        return self._bytes.decode("utf-8", "replace").replace("\r\n", "\n")

    def wait_for(self, text: str, times: int = 1) -> None:
        """Wait until a text was shown, so many times in all."""
        until = time.monotonic() + WITHIN_S
        while self.seen.count(text) < times:
            assert self._read(until), f"{text!r} was not shown: {self.seen!r}"

    def press(self, text: str) -> None:
        """Type something, as a person would."""
        os.write(self._master, text.encode())

    def end(self) -> int:
        """Wait until the program has ended, and give its status."""
        until = time.monotonic() + WITHIN_S
        while self._read(until):
            pass
        return self.process.wait(max(0.1, until - time.monotonic()))

    def _read(self, until: float) -> bool:
        """Take in what is shown next; false when nothing more will be, or not in time."""
        ready, _, _ = select.select([self._master], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            return False
        try:
            got = os.read(self._master, 65_536)
        except OSError:  # Linux: the last program on it has ended
            return False
        self._bytes += got
        return bool(got)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._master)
