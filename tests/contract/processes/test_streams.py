import asyncio
import fcntl
import gc
import os
import tracemalloc

import pytest

from subsessiond.adapters.processes import LinuxProcesses
from subsessiond.adapters.processes.streams import CHUNK_BYTES, Output
from subsessiond.model.process import Exit, InputClosed
from tests.contract.processes.conftest import launch, read_all, sh

MIB = 1024 * 1024


@pytest.mark.scenario("S06")
async def test_input_ends_right_after_the_brief(processes: LinuxProcesses) -> None:
    """A program that reads its input to the end gets all of it and then the end."""
    process = await processes.spawn(launch("cat", stdin=b"the brief"))
    async with asyncio.timeout(2):
        assert await read_all(process) == b"the brief"
        assert await process.wait_exit() == Exit(code=0)


@pytest.mark.scenario("S06")
async def test_empty_input_ends_at_once(processes: LinuxProcesses) -> None:
    """Without a brief on stdin the end comes at once."""
    process = await processes.spawn(launch("wc", "-c", stdin=b""))
    async with asyncio.timeout(2):
        assert await read_all(process) == b"0\n"


@pytest.mark.scenario("S06")
async def test_input_of_a_protocol_stays_open(processes: LinuxProcesses) -> None:
    """An agent that speaks a protocol keeps its input until somebody ends it."""
    process = await processes.spawn(launch("cat", stdin=None))
    await process.write(b"one\n")
    assert await process.read_stdout() == b"one\n"
    await process.write(b"two\n")
    assert await process.read_stdout() == b"two\n"
    await process.close_stdin()
    assert await read_all(process) == b""
    with pytest.raises(InputClosed):
        await process.write(b"three\n")


async def test_much_input_does_not_wait_for_the_reader(processes: LinuxProcesses) -> None:
    """A brief far larger than a pipe arrives whole; the start does not wait for it."""
    brief = bytes(range(256)) * (4 * MIB // 256)
    process = await processes.spawn(sh("sleep 0.1; exec cat", stdin=brief))
    assert await read_all(process) == brief


async def test_messages_do_not_mix(processes: LinuxProcesses) -> None:
    """Writers at the same time are served one after the other, a cancelled one included."""
    process = await processes.spawn(sh("sleep 0.1; exec cat", stdin=None))
    big = [bytes([number]) * 200_000 for number in b"abc"]
    tasks = [asyncio.ensure_future(process.write(data)) for data in big]
    await asyncio.sleep(0)
    tasks[1].cancel()
    await process.close_stdin()
    assert await read_all(process) == b"".join(big)
    await tasks[0]
    await tasks[2]


async def test_writer_hears_that_the_reader_left(processes: LinuxProcesses) -> None:
    """Who waits to write to a program that ended is told, not left waiting."""
    process = await processes.spawn(sh("sleep 0.1", stdin=None))
    async with asyncio.timeout(5):
        with pytest.raises(InputClosed):
            await process.write(b"x" * MIB)


@pytest.mark.scenario("S16")
async def test_errors_are_always_drained(processes: LinuxProcesses) -> None:
    """Ten megabytes of errors without a newline hold nothing up, and only a tail is kept."""
    script = "head -c 10485760 /dev/zero | tr '\\0' x >&2; printf '\\377end' >&2; echo done"
    gc.collect()
    tracemalloc.start()
    process = await processes.spawn(sh(script))
    async with asyncio.timeout(10):
        assert await read_all(process) == b"done\n"
        assert await process.wait_exit() == Exit(code=0)
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert process.stderr_tail(7) == b"xxx\xffend"
    assert len(process.stderr_tail(MIB)) == 64 * 1024
    assert (process.stderr_bytes, process.stderr_lines) == (10 * MIB + 4, 1)
    assert peak_bytes < MIB


async def test_lines_of_errors_are_counted(processes: LinuxProcesses) -> None:
    """All lines count, also those that are not kept any more, and a last one without its end."""
    process = await processes.spawn(sh("seq 100000 >&2; printf end >&2"))
    assert await process.wait_exit() == Exit(code=0)
    assert process.stderr_tail(3) == b"end"
    assert process.stderr_lines == 100_001
    quiet = await processes.spawn(sh("echo done"))
    assert await read_all(quiet) == b"done\n"
    assert quiet.stderr_lines == 0


async def test_errors_can_be_followed(processes: LinuxProcesses) -> None:
    """Errors are read as they come, and end with the program."""
    process = await processes.spawn(sh("echo one >&2; read x; echo two >&2", stdin=None))
    assert await process.read_stderr() == b"one\n"
    await process.write(b"\n")
    assert await process.read_stderr() == b"two\n"
    assert await process.read_stderr() == b""


async def test_nobody_reads_is_no_memory(processes: LinuxProcesses) -> None:
    """Output that nobody asks for stays with the child, which waits; it can still be stopped."""
    process = await processes.spawn(launch("yes"))
    await asyncio.sleep(0.05)
    stopped = await process.stop()
    assert not stopped.leftovers
    assert len(await read_all(process)) <= MIB


async def test_reader_hears_the_end_when_it_is_closed(processes: LinuxProcesses) -> None:
    """A reader that waits is let go when the process is given up."""
    process = await processes.spawn(launch("sleep", "600"))
    reader = asyncio.ensure_future(process.read_stdout())
    await asyncio.sleep(0)
    await process.aclose()
    async with asyncio.timeout(2):
        assert await reader == b""


async def test_what_is_there_already_is_read_without_taking_every_turn() -> None:
    """A process that prints faster than it is read leaves others theirs."""
    ours, theirs = os.pipe()
    fcntl.fcntl(theirs, fcntl.F_SETPIPE_SZ, MIB)
    os.write(theirs, b"x" * MIB)
    os.close(theirs)
    output, turns = Output(ours), 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.ensure_future(others())
    chunks = 0
    while await output.read_chunk():
        chunks += 1
    task.cancel()
    output.close()
    assert chunks == MIB // CHUNK_BYTES
    assert turns >= chunks
