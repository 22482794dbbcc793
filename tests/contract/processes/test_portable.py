"""What holds where there are no containers; it runs on any system with process groups."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from subsessiond.adapters.processes import PortableProcesses
from subsessiond.model.process import Exit, LaunchFault
from tests.contract.processes.conftest import GRACE_MS, launch, marked, read_all, sh


@pytest.fixture
async def portable() -> AsyncIterator[PortableProcesses]:
    """The adapter under test, with short graces."""
    made = PortableProcesses(term_grace_ms=GRACE_MS, close_stdin_ms=GRACE_MS)
    yield made
    await made.aclose()
    await made.aclose()


async def test_status_and_output_are_reported(portable: PortableProcesses) -> None:
    """A program runs, is fed, is read, and its status is told."""
    process = await portable.spawn(sh("cat; echo err >&2; exit 7", stdin=b"brief"))
    assert await read_all(process) == b"brief"
    async with asyncio.timeout(2):
        assert await process.wait_exit() == Exit(code=7)
    assert process.stderr_tail(100) == b"err\n"
    assert (process.stderr_bytes, process.stderr_lines) == (4, 1)


async def test_exit_is_noticed_though_the_pipe_is_held(portable: PortableProcesses) -> None:
    """A sleeper in the group delays nothing and goes with the stop."""
    process = await portable.spawn(sh("sleep 600 & exit 3"))
    async with asyncio.timeout(1):
        assert await process.wait_exit() == Exit(code=3)
    assert portable.is_alive(process.identity)
    assert not (await process.stop()).leftovers
    assert not portable.is_alive(process.identity)
    assert marked("n1") == ()


async def test_stubborn_group_is_killed(portable: PortableProcesses) -> None:
    """Who ignores TERM is killed, and the answer says that force was needed."""
    script = "trap '' TERM; echo up; sleep 600 & while :; do sleep 0.01; done"
    process = await portable.spawn(sh(script))
    await process.read_stdout()
    assert (await process.stop()).forced
    assert await process.wait_exit() == Exit(signal=9)
    assert portable.pids_of(process.identity) == ()
    assert marked("n1") == ()


@pytest.mark.parametrize(
    ("program", "cwd", "words"),
    [("no-such-program", "/", "no such program"), ("true", "/no/such", "does not exist")],
)
async def test_faults_are_words(
    portable: PortableProcesses, program: str, cwd: str, words: str
) -> None:
    """A failed start is told as elsewhere."""
    with pytest.raises(LaunchFault, match=words):
        await portable.spawn(launch(program, cwd=cwd))


async def test_what_is_missing_is_said(portable: PortableProcesses) -> None:
    """The adapter names what this system lacks, and does not guess about earlier daemons."""
    process = await portable.spawn(launch("true"))
    await process.wait_exit()
    await process.aclose()
    assert "cannot be proven ours" in (await portable.end(process.identity)).leftovers[0]
    assert (await portable.end_named("n1")).leftovers
    assert any("earlier daemon" in words for words in portable.missing)
