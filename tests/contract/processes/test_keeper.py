"""What hangs on a keeper: nothing leaves from below it, and its own end frees nobody."""

import contextlib
import os
from pathlib import Path

import pytest

from subsessiond.adapters.processes import LinuxProcesses
from subsessiond.model.process import Exit, Identity, LaunchFault
from tests.contract.processes.conftest import GRACE_MS, sh, until

ESCAPE = "(env -i setsid sh -c 'echo $$ >{file}.new; mv {file}.new {file}; exec sleep 600' &)"
"""Loses its mark, its session and its parent."""

KEPT = pytest.mark.parametrize("kind", ["pidns", "descent"], indirect=True)
DESCENT = pytest.mark.parametrize("kind", ["descent"], indirect=True)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where what escapes writes its number (in a namespace: the number it has there)."""
    return tmp_path / "pid"


def runs(pid: int) -> bool:
    """Whether a process can run; one that has ended may not have been waited for yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@KEPT
async def test_what_loses_every_trace_still_hangs_on_its_keeper(
    processes: LinuxProcesses, file: Path
) -> None:
    """Without mark, session and parent it is listed, and ended, though the leader left long ago."""
    process = await processes.spawn(sh(ESCAPE.format(file=file)))
    assert await process.wait_exit() == Exit(code=0)
    await until(file.exists)
    keeper, escaped = processes.pids_of(process.identity)
    assert keeper == process.identity.pid
    stopped = await process.stop(term_grace_ms=0)
    assert (stopped.forced, stopped.leftovers) == (True, ())
    assert not runs(escaped)


@KEPT
async def test_what_loses_every_trace_is_asked_first(processes: LinuxProcesses, file: Path) -> None:
    """The polite way down reaches it as well."""
    process = await processes.spawn(sh(ESCAPE.format(file=file)))
    await process.wait_exit()
    await until(file.exists)
    stopped = await process.stop()
    assert (stopped.forced, stopped.leftovers) == (False, ())


@DESCENT
async def test_killing_the_keeper_frees_nobody(processes: LinuxProcesses, file: Path) -> None:
    """It counts as the child's own end, and what it kept is ended without any other trace."""
    script = f"{ESCAPE.format(file=file)}; until [ -e {file} ]; do sleep 0.01; done; kill -9 $PPID"
    process = await processes.spawn(sh(f"{script}; exec sleep 600"))
    assert await process.wait_exit() == Exit(signal=9)
    escaped = int(file.read_text())
    assert escaped in processes.pids_of(process.identity)
    assert not (await process.stop(term_grace_ms=GRACE_MS)).leftovers
    assert not runs(escaped)


@DESCENT
async def test_nothing_runs_on_when_the_keeper_is_killed_at_once(
    processes: LinuxProcesses, file: Path
) -> None:
    """However early it happens: it was a start that failed, or a child that can be ended."""
    script = f"kill -9 $PPID; {ESCAPE.format(file=file)}; exec sleep 600"
    with contextlib.suppress(LaunchFault):
        process = await processes.spawn(sh(script))
        await process.wait_exit()
        assert not (await process.stop(term_grace_ms=0)).leftovers
    if file.exists():
        assert not runs(int(file.read_text()))


@DESCENT
async def test_others_keep_their_children_when_a_keeper_is_killed(
    processes: LinuxProcesses, file: Path
) -> None:
    """Whoever is ended for it hung on that keeper."""
    other = await processes.spawn(sh(f"{ESCAPE.format(file=file)}; exec sleep 600"))
    await until(file.exists)
    before = processes.pids_of(other.identity)
    with contextlib.suppress(LaunchFault):
        process = await processes.spawn(sh("kill -9 $PPID; exec sleep 600"))
        await process.wait_exit()
        await process.stop(term_grace_ms=0)
    assert processes.pids_of(other.identity) == before


@KEPT
async def test_keeper_is_no_target_of_common_signals(processes: LinuxProcesses) -> None:
    """What a child sends to everything above it, but KILL and STOP, leaves its keeper at work."""
    process = await processes.spawn(sh("exec sleep 600"))
    keeper = process.identity.pid
    for number in (1, 2, 3, 10, 12, 13, 14):
        os.kill(keeper, number)
    assert keeper in processes.pids_of(process.identity)
    assert Path(f"/proc/{keeper}/comm").read_text() == "subsession-init\n"
    assert not (await process.stop()).forced


@pytest.mark.parametrize("kind", ["cgroup"], indirect=True)
async def test_first_process_that_leaves_its_group_is_no_keeper(
    processes: LinuxProcesses, file: Path
) -> None:
    """It has nobody to keep, so it is killed like any other, whatever else it ignores."""
    group = os.path.dirname(os.path.dirname((await probe(processes)).cgroup))
    leave = f"trap '' TERM 64; echo $$ >{group}/cgroup.procs; echo left >{file}"
    process = await processes.spawn(sh(f"{leave}; while :; do sleep 0.05; done"))
    await until(file.exists)
    assert process.identity.pid in processes.pids_of(process.identity)
    stopped = await process.stop(term_grace_ms=GRACE_MS)
    assert (stopped.forced, stopped.leftovers) == (True, ())
    assert not runs(process.identity.pid)


async def probe(processes: LinuxProcesses) -> Identity:
    """Run something, and give who it was."""
    process = await processes.spawn(sh("true"))
    await process.wait_exit()
    await process.stop()
    return process.identity
