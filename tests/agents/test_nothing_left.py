"""Of a public agent nothing is left, whatever its own tools do: stopped, or its daemon killed."""

import asyncio
import os
import shutil
import sys
import time
from asyncio.subprocess import Process
from collections.abc import Callable, Coroutine
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from subsessiond.adapters.processes import LinuxProcesses, available_containers
from subsessiond.model.process import Identity, Stopped
from tests.support.modelstub import Stub
from tests.support.rigs import BIN, RIGS

ROOT: Final = Path(__file__).parents[2]
PROC: Final = Path("/proc")
PARKED_S: Final = 60.0
"""A cold start of the slowest agent, two of it at once, on two busy cores."""
FULL: Final = os.environ.get("SCENARIO_CYCLES") == "full"
EVERYWHERE: Final = RIGS if FULL else ("pi", "claude-acp")
"""Who runs in each kind of container; the rest only in the weakest, where all the work is ours."""
ALIKE: Final = () if FULL else ("opencode", "gemini")
"""The very program that speaks ACP as well, and slow to start."""
CASES: Final = [
    *((name, "descent") for name in RIGS if name not in ALIKE),
    *((name, kind) for name in EVERYWHERE for kind in ("pidns", "cgroup")),
]

Way = Callable[[Process, Identity, LinuxProcesses], Coroutine[Any, Any, Stopped]]

available = cache(available_containers)
pytestmark = [
    pytest.mark.skipif(not BIN.exists(), reason="scripts/agents has not run in this clone"),
    pytest.mark.agents,
    pytest.mark.timeout(150),
    pytest.mark.xdist_group("agents"),
]


@pytest.mark.parametrize(("name", "kind"), CASES)
async def test_nothing_is_left_of_an_agent(name: str, kind: str, tmp_path: Path) -> None:
    """Of two with a shell at work one is stopped, the other's daemon is killed: both are gone."""
    if not RIGS[name].installed:
        pytest.skip("not for this platform")
    if kind not in available():
        pytest.skip(f"this user cannot make a {kind} container on this machine")
    next_daemon = LinuxProcesses(container=kind, term_grace_ms=300)
    try:
        async with Stub() as stub, asyncio.TaskGroup() as tasks:
            for way in (stop, kill):
                parked = Parked(name, kind, tmp_path / way.__name__)
                tasks.create_task(parked.end(way, next_daemon, stub.url))
    finally:
        await next_daemon.aclose()


class Parked:
    """One agent with a daemon of its own, and its shell at work."""

    def __init__(self, name: str, kind: str, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self._mark = f"290.{time.monotonic_ns() % 10**9:09d}"
        self._first = (kind, f"{folder.name}-{name}-{os.getpid()}", name, str(folder))

    async def end(self, way: Way, next_daemon: LinuxProcesses, stub: str) -> None:
        """Start it, end it, and look for what is left."""
        # Why under `timeout`: two of them refuse to wait for a sleep alone.
        words = (*self._first, stub, f"timeout 290 sleep {self._mark}")
        daemon = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.support.rigs.parked", *words),
            stdout=asyncio.subprocess.PIPE,
            cwd=ROOT,
        )
        assert daemon.stdout is not None
        identity = msgspec.json.decode(await daemon.stdout.readline(), type=Identity)
        await self._wait_parked()
        lived = {key for pid in next_daemon.pids_of(identity) if (key := key_of(pid))}
        assert len(lived) > 1
        stopped = await way(daemon, identity, next_daemon)
        assert stopped.leftovers == ()
        assert self._look(lived) == {}
        shutil.rmtree(self._folder)  # an agent's HOME may be large, and pytest keeps three of each

    async def _wait_parked(self) -> None:
        sleeping = f"sleep\0{self._mark}\0".encode()
        until = time.monotonic() + PARKED_S
        while sleeping not in everybody().values():
            assert time.monotonic() < until, "its shell does not run"
            await asyncio.sleep(0.05)

    def _look(self, lived: set[tuple[int, str]]) -> dict[int, bytes]:
        """Find what works for it by its command line or its HOME, and what has lived in it."""
        marks = (self._mark.encode(), os.fsencode(self._folder / "home"))
        return {
            pid: words
            for pid, words in everybody().items()
            if any(mark in words + read(pid, "environ") for mark in marks) or key_of(pid) in lived
        }


async def stop(daemon: Process, identity: Identity, next_daemon: LinuxProcesses) -> Stopped:
    """Let its daemon climb down."""
    del identity, next_daemon
    assert daemon.stdout is not None
    daemon.terminate()
    stopped = msgspec.json.decode(await daemon.stdout.readline(), type=Stopped)
    assert await daemon.wait() == 0
    return stopped


async def kill(daemon: Process, identity: Identity, next_daemon: LinuxProcesses) -> Stopped:
    """Kill its daemon, and let the next one end what it left."""
    daemon.kill()
    await daemon.wait()
    return await next_daemon.end(identity)


def everybody() -> dict[int, bytes]:
    """Read the command line of every process that runs."""
    found = {}
    for pid in (int(name) for name in os.listdir(PROC) if name.isdecimal()):
        if words := read(pid, "cmdline"):
            found[pid] = words
    return found


def key_of(pid: int) -> tuple[int, str] | None:
    """Give number and start of a process that runs."""
    fields = read(pid, "stat").rpartition(b")")[2].split()
    return (pid, fields[19].decode()) if fields and fields[0] not in b"ZX" else None


def read(pid: int, name: str) -> bytes:
    """Read a file of a process; nothing when it is gone."""
    try:
        return (PROC / str(pid) / name).read_bytes()
    except OSError:
        return b""
