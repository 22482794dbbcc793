"""The way down: ask the leader, ask the rest, kill, and prove that nothing is left.

Owns the order and the waiting. It does not know what kind of container it empties, nor whether
this daemon or an earlier one started it.
"""

import asyncio
import contextlib
import time
from typing import Protocol

from subsessiond.model.process import Stopped

KILL_BOUND_MS = 3_000
"""A killed process is gone in milliseconds unless it waits in the kernel; then it is a leftover."""

_FIRST_LOOK_S = 0.002
_LAST_LOOK_S = 0.1
"""Only the kernel's lists tell when a container is empty, so they are looked at, less and less
often, and only once the leader has left."""


class Contents(Protocol):
    """What a container has to be able to do, to be emptied."""

    def is_empty(self) -> bool:
        """Whether it is proven that nothing in it can run any more."""

    def terminate_leader(self) -> None:
        """Ask the leader's process group to leave."""

    def terminate_all(self) -> None:
        """Ask everything in it to leave."""

    def kill(self) -> None:
        """Send KILL to all; may be needed more than once."""

    def leftovers(self) -> tuple[str, ...]:
        """Words for each process that is still there."""


class Watch:
    """What cuts a wait short: the leader left, or somebody is in a hurry."""

    def __init__(self, *, leader_gone: bool = False) -> None:
        self.leader_gone = leader_gone
        self.hurried = False
        self.forced = False
        """Whether anything was killed so far, also by an attempt that was cut off."""
        self._news = asyncio.Event()

    def leader_left(self) -> None:
        """Note that the leader has ended."""
        self.leader_gone = True
        self._news.set()

    def hurry(self) -> None:
        """Let every wait end now."""
        self.hurried = True
        self._news.set()

    async def wait(self, limit_ms: int) -> None:
        """Wait until the leader has left, somebody hurries, or the time is up."""
        if self.leader_gone or self.hurried:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit_ms / 1000):
                await self._news.wait()


async def empty(container: Contents, grace_ms: int, watch: Watch) -> Stopped:
    """End everything in a container.

    Args:
        container: what to empty.
        grace_ms: how long to wait between asking and killing; with 0 nobody is asked.
        watch: tells of the leader; `leader_gone` where it is nobody's child any more.

    Returns:
        Whether force was needed, and words for what is left.
    """
    until = time.monotonic() + grace_ms / 1000
    if grace_ms > 0 and not watch.leader_gone:
        container.terminate_leader()
        await watch.wait(grace_ms)
    if watch.leader_gone and not container.is_empty() and time.monotonic() < until:
        container.terminate_all()
        await _wait_empty(container, until, watch)
    return await _kill(container, watch)


async def _wait_empty(container: Contents, until: float, watch: Watch) -> None:
    pause = _FIRST_LOOK_S
    while not (container.is_empty() or watch.hurried) and (left := until - time.monotonic()) > 0:
        await asyncio.sleep(min(pause, left))
        pause = min(pause * 2, _LAST_LOOK_S)


async def _kill(container: Contents, watch: Watch) -> Stopped:
    until = time.monotonic() + KILL_BOUND_MS / 1000
    pause = _FIRST_LOOK_S
    while not container.is_empty():
        if time.monotonic() >= until:
            return Stopped(forced=True, leftovers=container.leftovers())
        watch.forced = True
        container.kill()
        await asyncio.sleep(pause)
        pause = min(pause * 2, _LAST_LOOK_S)
    return Stopped(forced=watch.forced)
