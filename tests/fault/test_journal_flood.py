"""Journals made so large, by the child they are of, that whoever looks at them would be kept busy.

The files are sparse: they take no room on the disk.
"""

import os
import tracemalloc
from pathlib import Path

import pytest

from subsessiond.adapters.journals.folder import FILE_MOST_BYTES
from subsessiond.adapters.journals.line import LINE_MOST_BYTES, encode
from tests.support.journal_bench import Bench
from tests.support.ledger import builtins, line

pytestmark = pytest.mark.scenario("S20")


def peak_bytes() -> int:
    """Give the most memory this process ever had."""
    status = Path("/proc/self/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


async def test_an_endless_journal_is_left_alone(bench: Bench) -> None:
    """A file of a terabyte is neither read nor written; the store keeps the lines, and says so."""
    await bench.add(1)
    os.truncate(bench.path, 1 << 40)
    assert await bench.add(2) == ()
    assert "more than any journal" in bench.told[0]
    assert await bench.read() == ()
    assert bench.path.stat().st_size == 1 << 40


async def test_a_long_torn_tail_is_cut_unread(bench: Bench) -> None:
    """Hundreds of MiB without a newline are cut, and take no memory."""
    await bench.add(1)
    before = peak_bytes()
    os.truncate(bench.path, FILE_MOST_BYTES)
    assert await bench.read() == ((1, "report"),)
    assert await bench.add(2) == (2,)
    assert peak_bytes() - before < FILE_MOST_BYTES / 8
    assert bench.path.read_bytes() == b"".join(encode(line) for line in bench.lines(1, 2))


async def test_a_line_that_is_too_long_is_damage(bench: Bench) -> None:
    """A line longer than any record is shown as damaged, and what follows as it is."""
    await bench.add(1)
    with bench.path.open("ab") as file:
        file.truncate(bench.path.stat().st_size + 16 * LINE_MOST_BYTES)
        file.write(b"\n" + encode(bench.lines(3)[0]))
    before = peak_bytes()
    assert await bench.read() == ((1, "report"), (2, "!"), (3, "report"))
    assert peak_bytes() - before < 8 * LINE_MOST_BYTES


async def test_a_flood_of_lines_is_left_alone(bench: Bench) -> None:
    """Lines by the thousand that were never written are not looked through one by one."""
    await bench.add(1)
    with bench.path.open("ab") as file:
        file.write(b"\n" * 20_000_000)
    assert await bench.add(2) == ()
    assert "thousands of lines" in bench.told[0]
    assert await bench.read(limit=3) == ((1, "report"), (2, "!"), (3, "!"))
    assert await bench.read(first=10_000, limit=1) == ((10_000, "!"),)


async def test_a_registry_is_rebuilt_from_a_large_journal_in_little_memory(bench: Bench) -> None:
    """Whole records of 64 MiB leave one node, and are never in memory together."""
    checkpoint = {"phase": "p", "state": "s" * 256 * 1024, "nextStep": "n"}
    first = line(bench.child, 1, "admitted", builtins(bench.child))
    await bench.journals.append((first,))
    with bench.path.open("ab") as file:
        for n in range(2, 258):
            file.write(encode(line(bench.child, n, "checkpoint", checkpoint)))
    tracemalloc.start()
    try:
        (node,) = await bench.journals.rebuild((str(bench.workspace),))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (node.node_id, node.journal_lines) == (bench.child.node_id, 257)
    assert node.checkpoint is not None
    assert node.checkpoint.line == 257
    assert peak < 8 * 1024 * 1024


async def test_a_journal_that_is_spoiled_again_and_again_does_not_fill_the_log(
    bench: Bench,
) -> None:
    """The operator is told of one child's journal some times, and then that she is told no more."""
    for n in range(1, 31):
        await bench.add(n)
        with bench.path.open("ab") as file:
            file.write(b"x" * n)
    assert len(bench.told) == 20
    assert [told for told in bench.told if told.endswith("(no more is told of it)")] == [
        bench.told[-1]
    ]
