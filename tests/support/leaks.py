"""The leak guard: a test that leaves a task, thread, descriptor or process behind fails.

Owns the fixtures and hooks that watch every test; `tests/conftest.py` loads it. It knows nothing
of the daemon: it asks the event loop and `/proc`. Where there is no `/proc` (macOS) processes are
not watched, and descriptors are read from `/dev/fd`.
"""

import asyncio
import gc
import os
import signal
import sys
import threading
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import pytest_asyncio

PROC = Path("/proc")
RUN_VARIABLE = "SUBSESSIOND_TEST_RUN"
# Tests of these folders start real processes; the rest are spared the walk through /proc.
FOLDERS_WITH_PROCESSES = ("agents", "contract", "e2e", "fault", "integration", "scenarios")
# How long a killed process may take to leave the table: forty times what a loaded machine needs.
GONE_WITHIN_S = 2.0


class Holdings(NamedTuple):
    """What this process holds at one instant."""

    descriptors: dict[int, str]
    threads: frozenset[threading.Thread]
    processes: dict[int, str]


class WiderFixtures:
    """Counts the fixtures made for more than one test: what they open outlives the test."""

    made = 0


def read_descriptors() -> dict[int, str]:
    """Give every open descriptor and what it points to."""
    folder = PROC / "self/fd" if PROC.is_dir() else Path("/dev/fd")
    found = {}
    for name in os.listdir(folder):
        try:
            found[int(name)] = os.readlink(folder / name) if PROC.is_dir() else name
        except OSError:  # the descriptor that listed the folder
            continue
    return found


def read_children() -> dict[int, str]:
    """Give every child of this process, dead and unread ones too, and its command line."""
    if not PROC.is_dir():
        return {}
    found = {}
    for thread in PROC.glob("self/task/*/children"):
        try:
            pids = thread.read_text().split()
        except (FileNotFoundError, ProcessLookupError):
            continue  # the thread ended between the look and the reading
        for pid in map(int, pids):
            found[pid] = describe(pid)
    return found


def find_strays(run: str, folder: Path) -> dict[int, str]:
    """Give every process that carries this run's mark or works inside its folder, but us."""
    found = {}
    for pid in (int(name) for name in os.listdir(PROC) if name.isdecimal()):
        if pid != os.getpid() and is_ours(pid, f"{RUN_VARIABLE}={run}".encode(), str(folder)):
            found[pid] = describe(pid)
    return found


def is_ours(pid: int, mark: bytes, folder: str) -> bool:
    """Say whether a living process was started, however indirectly, by this run."""
    try:
        if mark in (PROC / str(pid) / "environ").read_bytes().split(b"\0"):
            return True
        place = os.readlink(PROC / str(pid) / "cwd")
    except OSError:  # gone, a zombie, or another user's
        return False
    return place == folder or place.startswith(folder + "/")


def describe(pid: int) -> str:
    """Give the command line of a process, or say that it is a zombie."""
    try:
        words = (
            (PROC / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        )
    except OSError:
        return "(gone)"
    return words.strip()[:200] or "(zombie)"


def take_holdings() -> Holdings:
    """Read what this process holds now."""
    return Holdings(read_descriptors(), frozenset(threading.enumerate()), read_children())


def list_leaks(before: Holdings, after: Holdings) -> list[str]:
    """Name everything held after that was not held before."""
    leaks = [
        f"descriptor {number} -> {target}"
        for number, target in sorted(after.descriptors.items())
        if before.descriptors.get(number) != target
    ]
    leaks += [f"thread {thread.name}" for thread in after.threads - before.threads]
    leaks += [
        f"child {pid}: {words}"
        for pid, words in sorted(after.processes.items())
        if pid not in before.processes
    ]
    return leaks


def end(pids: list[int]) -> None:
    """Kill what a test left, so that the next test starts clean. Only what was found to be ours."""
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        except (ProcessLookupError, ChildProcessError):
            continue


@pytest.fixture(scope="session")
def _run_mark() -> Iterator[str]:
    """Mark the environment that every process of this run inherits."""
    mark = uuid.uuid4().hex
    os.environ[RUN_VARIABLE] = mark
    yield mark
    del os.environ[RUN_VARIABLE]


@pytest.fixture
def _guard_holdings(request: pytest.FixtureRequest) -> Iterator[None]:
    """Compare descriptors, threads and children from before and after the test."""
    before, wider = take_holdings(), WiderFixtures.made
    yield
    if WiderFixtures.made != wider:
        return
    leaks = list_leaks(before, take_holdings())
    if leaks:
        gc.collect()  # what only waits for the collector was warned of already
        after = take_holdings()
        leaks = list_leaks(before, after)
        end([pid for pid in after.processes if pid not in before.processes])
    if leaks:
        pytest.fail("left behind:\n  " + "\n  ".join(leaks), pytrace=False)


@pytest.fixture
def _guard_strays(_run_mark: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """See that no process of the test lives on, adopted by somebody else."""
    folder = tmp_path_factory.getbasetemp()
    before, wider = find_strays(_run_mark, folder), WiderFixtures.made
    yield
    if WiderFixtures.made != wider:
        return
    deadline = time.monotonic() + GONE_WITHIN_S
    strays = {**find_strays(_run_mark, folder)}
    while strays.keys() - before.keys() and time.monotonic() < deadline:
        time.sleep(0.01)  # a killed process leaves the table without telling anybody but its parent
        strays = find_strays(_run_mark, folder)
    left = {pid: words for pid, words in strays.items() if pid not in before}
    end(list(left))
    if left:
        lines = "\n  ".join(f"process {pid}: {words}" for pid, words in sorted(left.items()))
        pytest.fail(f"left behind:\n  {lines}", pytrace=False)


@pytest_asyncio.fixture
async def _guard_tasks() -> AsyncIterator[None]:
    """See that every task of the loop ended before the loop is closed over it."""
    yield
    left = asyncio.all_tasks() - {asyncio.current_task()}
    if left:
        pytest.fail("left behind:\n  " + "\n  ".join(map(repr, left)), pytrace=False)


def guards_of(item: pytest.Item) -> list[str]:
    """Name the guards a test runs under, outermost first."""
    guards = ["_guard_holdings"]
    folders = item.path.parts
    if sys.platform == "linux" and any(name in folders for name in FOLDERS_WITH_PROCESSES):
        guards.append("_guard_strays")
    if pytest_asyncio.is_async_test(item):
        guards.append("_guard_tasks")
    return guards


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the guards around every test, outside all its own fixtures."""
    for item in items:
        names: list[str] = getattr(item, "fixturenames", [])
        names[:0] = guards_of(item)


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[object]) -> None:
    """Count the fixtures that outlive the test in which they are made."""
    if fixturedef.scope != "function" and fixturedef.baseid:  # plugins' own have no base
        WiderFixtures.made += 1
