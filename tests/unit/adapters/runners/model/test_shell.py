"""Commands that a model runs."""

import asyncio
import os
import signal

import pytest

from subsessiond.adapters.processes import LinuxProcesses
from subsessiond.adapters.runners.model.shell import SHOWN_BYTES, Shell
from tests.support.hire import wait_file
from tests.support.policies import ACTOR
from tests.support.stage import Stage


async def a_shell(here: Stage, processes: LinuxProcesses, most_ms: int = 20_000) -> Shell:
    """Make the shell of a child."""
    env = tuple(here.environment().items())
    return Shell(processes, await here.order(ACTOR, env, role="worker"), most_ms)


async def test_a_command_is_told_by_its_end_and_what_it_printed(
    here: Stage, processes: LinuxProcesses
) -> None:
    """Exit status, output and errors; it runs in the workspace, without any input."""
    shell = await a_shell(here, processes)
    assert await shell.run("cat; pwd; echo bad >&2; exit 3", None) == (
        f"exit status 3\n{os.path.realpath(here.folder)}\n\nstandard error:\nbad\n"
    )
    assert await shell.run("true", None) == "exit status 0, it printed nothing"
    assert await shell.run("kill -9 $$", None) == "killed by SIGKILL, it printed nothing"
    told = await shell.run(f"kill -{signal.SIGRTMIN + 6} $$", None)
    assert told == f"killed by signal {signal.SIGRTMIN + 6}, it printed nothing"
    assert shell.printed_bytes == len(os.path.realpath(here.folder)) + 1 + len("bad\n")
    assert (await shell.stop(hurry=False)).leftovers == ()


async def test_output_is_bounded_from_its_end(here: Stage, processes: LinuxProcesses) -> None:
    """What came before is counted."""
    shell = await a_shell(here, processes)
    told = await shell.run("yes 0123456789abcdef | head -c 1000000; echo END", None)
    assert told.endswith("END\n")
    assert len(told.encode()) <= SHOWN_BYTES + 200
    assert f"({1_000_004 - SHOWN_BYTES} bytes before this were left out)" in told
    await shell.stop(hurry=False)


async def test_a_command_that_takes_too_long_is_ended(
    here: Stage, processes: LinuxProcesses
) -> None:
    """By its own limit, or by that of its role, whichever comes first."""
    shell = await a_shell(here, processes, most_ms=200)
    told = await shell.run("echo begun; exec sleep 100", 60_000)
    assert told == "ended after 200 ms: it took too long\nbegun\n"
    await shell.stop(hurry=False)


async def test_what_a_command_leaves_behind_is_ended_with_it(
    here: Stage, processes: LinuxProcesses
) -> None:
    """A background process does not outlive its command."""
    shell = await a_shell(here, processes)
    told = await shell.run("sleep 100 >/dev/null 2>&1 & echo $!", None)
    pid = int(told.split()[-1])
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    await shell.stop(hurry=False)


async def test_a_stop_ends_the_command_that_runs(here: Stage, processes: LinuxProcesses) -> None:
    """And none is started any more."""
    shell = await a_shell(here, processes)
    running = asyncio.ensure_future(shell.run("echo $$ >new; mv new pid; exec sleep 100", None))
    pid = int(await asyncio.to_thread(wait_file, here.folder / "pid"))
    running.cancel()
    await asyncio.wait((running,))
    assert (await shell.stop(hurry=True)).leftovers == ()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert await shell.run("true", None) == "not run: this child is being stopped"
    assert (await shell.stop(hurry=False)).leftovers == ()


async def test_a_command_line_that_cannot_be_started_is_told(
    here: Stage, processes: LinuxProcesses
) -> None:
    """It is an answer like any other."""
    shell = await a_shell(here, processes)
    assert "cannot start '/bin/sh'" in await shell.run("x" * 200_000, None)
    await shell.stop(hurry=False)
