"""What a trial leaves whose `doctor` was killed: a daemon, its agent, a folder; the next ends them.

A trial that is under way holds a lock in its folder, which the kernel lets go of with its process.
"""

import fcntl
import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Final

from subsession.client import Client
from subsession.errors import SubsessionError
from subsession.start import wait_gone

PREFIX: Final = "trial-"
STATE: Final = "state"
END_S: Final = 30.0
_LOCK: Final = "lock"
_SIGNALS: Final = (signal.SIGTERM, signal.SIGHUP)


def hold(folder: Path) -> int:
    """Say that the trial in a folder is under way; gives what says so until it is closed."""
    fresh = folder / f".{_LOCK}"
    held = os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(held, fcntl.LOCK_EX)
    # Why so late: a lock that is there and not held is what somebody has left.
    fresh.rename(folder / _LOCK)
    return held


def clear(state_dir: Path) -> None:
    """End what trials have left that are not under way any more, and remove their folders."""
    for folder in sorted(state_dir.glob(f"{PREFIX}*")):
        with suppress(OSError), _left(folder) as is_left:
            if is_left:
                end_daemon(folder / STATE)
                shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def in_order() -> Iterator[None]:
    """Let a signal that ends this process end what it has begun first, as an interrupt does."""

    def leave(number: int, _frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    before = {number: signal.signal(number, leave) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _left(folder: Path) -> Iterator[bool]:
    held = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        yield _is_free(held)
    finally:
        os.close(held)


def _is_free(held: int) -> bool:
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def end_daemon(state: Path) -> None:
    """End the daemon of a trial, if it has one; its agents end with it."""
    with suppress(SubsessionError), Client(state_dir=state, token="") as client:
        info = client.connect()
        client.shutdown()
        if client.socket is not None:
            wait_gone(client.socket, int(info["pid"]), END_S)
