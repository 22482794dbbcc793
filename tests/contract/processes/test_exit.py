import asyncio
import os
import time

import pytest

from subsessiond.adapters.processes import LinuxProcesses
from subsessiond.model.process import Exit
from tests.contract.processes.conftest import GRACE_MS, launch, marked, read_all, sh, until


async def test_exit_status_is_reported(processes: LinuxProcesses) -> None:
    """The status of the program is told as it left it."""
    process = await processes.spawn(sh("exit 7"))
    assert await process.wait_exit() == Exit(code=7)


async def test_signal_is_reported(processes: LinuxProcesses) -> None:
    """A program that a signal ended is told apart from one that left with a status."""
    process = await processes.spawn(sh("kill -SEGV $$"))
    assert await process.wait_exit() == Exit(signal=11)


async def test_everybody_who_waits_hears_the_same(processes: LinuxProcesses) -> None:
    """Several may wait for one exit, also after it and after the stop."""
    process = await processes.spawn(sh("exit 3"))
    assert await asyncio.gather(*(process.wait_exit() for _ in range(3))) == [Exit(code=3)] * 3
    await process.stop()
    assert await process.wait_exit() == Exit(code=3)


async def test_status_after_term_is_the_programs_own(processes: LinuxProcesses) -> None:
    """What a program says when it is asked to leave is not replaced by the signal."""
    process = await processes.spawn(sh("trap 'exit 5' TERM; echo up; while :; do sleep 0.01; done"))
    await process.read_stdout()
    assert not (await process.stop()).forced
    assert await process.wait_exit() == Exit(code=5)


async def test_status_of_a_killed_program_is_the_kill(processes: LinuxProcesses) -> None:
    """A program that ignored TERM is reported as killed."""
    process = await processes.spawn(sh("trap '' TERM; echo up; while :; do sleep 0.01; done"))
    await process.read_stdout()
    assert (await process.stop(term_grace_ms=GRACE_MS)).forced
    assert await process.wait_exit() == Exit(signal=9)


@pytest.mark.scenario("S10")
@pytest.mark.parametrize("status", [0, 3])
async def test_exit_is_noticed_though_a_grandchild_holds_the_pipe(
    processes: LinuxProcesses, status: int
) -> None:
    """A sleeper that inherited the pipes delays nothing, and goes with the stop."""
    process = await processes.spawn(sh(f"sleep 600 & echo result; exit {status}"))
    began = time.monotonic()
    async with asyncio.timeout(1):
        assert await process.wait_exit() == Exit(code=status)
    assert await process.read_stdout() == b"result\n"
    assert len(marked("n1")) >= 1
    stopped = await process.stop()
    assert time.monotonic() - began < 2
    assert not stopped.forced
    assert not stopped.leftovers
    assert marked("n1") == ()
    assert await read_all(process) == b""


async def test_leader_is_not_the_first_process_of_its_namespace(processes: LinuxProcesses) -> None:
    """The program heeds TERM although it installed no action for it, as pid 1 would not."""
    process = await processes.spawn(launch("sleep", "600"))
    stopped = await process.stop(close_stdin_ms=0)
    assert not stopped.forced
    assert await process.wait_exit() == Exit(signal=15)


async def test_container_without_leader_ends_by_itself(processes: LinuxProcesses) -> None:
    """When the last process left, nothing counts as alive, before any stop."""
    process = await processes.spawn(sh("sleep 0.1 & exit 0"))
    await process.wait_exit()
    await until(lambda: not processes.is_alive(process.identity))
    assert not (await process.stop()).forced


async def test_init_that_is_killed_is_noticed(processes: LinuxProcesses) -> None:
    """Killing the first process of a container from outside is told as a kill, not waited for."""
    process = await processes.spawn(launch("sleep", "600"))
    os.kill(process.identity.pid, 9)
    async with asyncio.timeout(5):
        assert await process.wait_exit() == Exit(signal=9)
    assert not (await process.stop()).forced


async def test_quickest_programs_lose_no_status(processes: LinuxProcesses) -> None:
    """However soon a program is over, its status is told."""
    for status in range(20):
        process = await processes.spawn(sh(f"exit {status}"))
        assert await process.wait_exit() == Exit(code=status)
        await process.aclose()
