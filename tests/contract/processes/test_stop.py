import asyncio
import os
import signal
import time
from pathlib import Path

import pytest

from subsessiond.adapters.processes import LinuxProcesses
from subsessiond.model.process import Exit
from tests.contract.processes.conftest import (
    AGENTS,
    GRACE_MS,
    PATIENCE_MS,
    launch,
    marked,
    sh,
    until,
)

CHAIN = str(AGENTS / "chain.sh")


@pytest.mark.scenario("S09")
async def test_a_whole_chain_goes(processes: LinuxProcesses, tmp_path: Path) -> None:
    """Shell, launcher and a worker that ignores TERM are gone within grace and two seconds."""
    ticks = tmp_path / "ticks"
    process = await processes.spawn(launch("sh", CHAIN, "shell", str(ticks)))
    await until(ticks.exists)
    assert len(processes.pids_of(process.identity)) >= 3
    began = time.monotonic()
    stopped = await process.stop(term_grace_ms=GRACE_MS)
    assert time.monotonic() - began < GRACE_MS / 1000 + 2
    assert stopped.forced
    assert not stopped.leftovers
    assert marked("n1") == ()
    assert processes.pids_of(process.identity) == ()
    assert await process.wait_exit() == Exit(code=0)


@pytest.mark.scenario("S08", "S09")
@pytest.mark.parametrize(
    "escape",
    [
        "(setsid sh {chain} worker {file} &) ; sleep 600",
        "setsid sh {chain} worker {file} & exit 0",
        "setsid setsid sh -c 'setsid sh {chain} worker {file} & exit' & sleep 600",
        "nohup sh {chain} worker {file} >/dev/null 2>&1 & exit 0",
        "env -i PATH=$PATH sh {chain} worker {file} & sleep 600",
        "env -i PATH=$PATH sh {chain} worker {file} & exit 0",
        "env -i PATH=$PATH setsid sh {chain} worker {file} & sleep 600",
    ],
)
async def test_who_left_the_group_goes_too(
    processes: LinuxProcesses, tmp_path: Path, escape: str
) -> None:
    """Own sessions, double forks and emptied environments are no way out."""
    ticks = tmp_path / "ticks"
    process = await processes.spawn(sh(escape.format(chain=CHAIN, file=ticks)))
    await until(lambda: ticks.exists() and ticks.read_text().endswith("\n"))
    stopped = await process.stop(close_stdin_ms=0, term_grace_ms=100)
    assert stopped.forced
    assert not stopped.leftovers
    size = ticks.stat().st_size
    assert marked("n1") == ()
    await asyncio.sleep(0.15)  # three times the pause of the worker: it would have written
    assert ticks.stat().st_size == size


async def test_polite_child_is_not_forced(processes: LinuxProcesses) -> None:
    """A child that leaves when its input ends hears no signal."""
    process = await processes.spawn(launch("cat", stdin=None))
    stopped = await process.stop()
    assert not stopped.forced
    assert await process.wait_exit() == Exit(code=0)


async def test_child_gone_by_itself_is_not_forced(processes: LinuxProcesses) -> None:
    """Stopping what has ended is quick and claims no force."""
    process = await processes.spawn(launch("true"))
    await process.wait_exit()
    began = time.monotonic()
    assert not (await process.stop()).forced
    assert time.monotonic() - began < PATIENCE_MS / 1000 / 2


async def test_stops_share_one_way_down(processes: LinuxProcesses) -> None:
    """Stopping twice, at once or later, answers the same."""
    process = await processes.spawn(sh("trap '' TERM; echo up; while :; do sleep 0.01; done"))
    await process.read_stdout()
    stops = (process.stop(term_grace_ms=GRACE_MS) for _ in range(2))
    first, second = await asyncio.gather(*stops)
    assert first == second == await process.stop()
    assert first.forced


async def test_hurry_cuts_the_grace_short(processes: LinuxProcesses) -> None:
    """A second stop without grace ends the waiting of the first."""
    process = await processes.spawn(sh("trap '' TERM; echo up; while :; do sleep 0.01; done"))
    await process.read_stdout()
    began = time.monotonic()
    patient = asyncio.ensure_future(process.stop(term_grace_ms=20_000))
    await asyncio.sleep(0)
    assert (await process.stop(term_grace_ms=0)).forced
    assert (await patient).forced
    assert time.monotonic() - began < 5


async def test_cut_off_stop_is_finished_by_the_next(processes: LinuxProcesses) -> None:
    """A caller who goes away leaves a stop that the next one completes."""
    process = await processes.spawn(sh("trap '' TERM; echo up; while :; do sleep 0.01; done"))
    await process.read_stdout()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await process.stop()
    assert (await process.stop(term_grace_ms=GRACE_MS)).forced
    assert marked("n1") == ()


async def test_stopped_process_hears_term(processes: LinuxProcesses) -> None:
    """A process in the stopped state is woken to leave, not left lying about."""
    process = await processes.spawn(launch("sleep", "600"))
    *_, leader = processes.pids_of(process.identity)
    os.kill(leader, signal.SIGSTOP)
    assert not (await process.stop()).forced
    assert marked("n1") == ()


async def test_fast_forking_is_caught(processes: LinuxProcesses) -> None:
    """Processes that keep making new ones in sessions of their own are all ended."""
    script = 'loop() { setsid sh -c "$1" "$1" & }; f=\'sleep 0.02; setsid sh -c "$0" "$0" &\'; '
    process = await processes.spawn(sh(script + 'for i in 1 2 3 4; do loop "$f"; done; sleep 600'))
    await until(lambda: len(processes.pids_of(process.identity)) >= 4)
    stopped = await process.stop(term_grace_ms=0)
    assert not stopped.leftovers
    assert marked("n1") == ()


async def test_one_stop_does_not_touch_another_child(processes: LinuxProcesses) -> None:
    """What belongs to another node lives on."""
    one = await processes.spawn(launch("sleep", "600", node_id="one"))
    other = await processes.spawn(launch("sleep", "600", node_id="other"))
    await one.stop(term_grace_ms=0)
    assert processes.is_alive(other.identity)
    assert not processes.is_alive(one.identity)
    await other.stop(term_grace_ms=0)
    assert await other.wait_exit() == Exit(signal=9)


async def test_closing_ends_everything(kind: str) -> None:
    """The adapter leaves with all its children."""
    processes = LinuxProcesses(container=kind, term_grace_ms=100, close_stdin_ms=0)
    for number in range(5):
        await processes.spawn(sh("trap '' TERM; sleep 600; sleep 600", node_id=f"n{number}"))
    await processes.aclose()
    await processes.aclose()
    assert [marked(f"n{number}") for number in range(5)] == [()] * 5
