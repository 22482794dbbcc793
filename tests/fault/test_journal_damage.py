"""Journals torn, scribbled in, planted with links, or on a disk that does not confirm."""

import errno
import resource
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from subsessiond.adapters.journals.line import encode
from tests.support.journal_bench import Bench
from tests.support.ledger import builtins, child, line, root


def cut_in_half(whole: bytes) -> bytes:
    """The object is cut in half."""
    return whole[: len(whole) // 2]


def cut_in_character(whole: bytes) -> bytes:
    """Cut inside a multi-byte character."""
    return b'{"v":1,"n":3,"body":{"output":"' + "☂".encode()[:2]


def no_newline(whole: bytes) -> bytes:
    """The object is complete, its newline is missing."""
    return whole[:-1]


def cut_and_empty_line(whole: bytes) -> bytes:
    """A cut object, then an empty line."""
    return whole[: len(whole) // 2] + b"\n\n"


def zeros(whole: bytes) -> bytes:
    """Zero bytes, as a file system leaves them after a power cut."""
    return bytes(700)


TEARS = (cut_in_half, cut_in_character, no_newline, cut_and_empty_line, zeros)


@pytest.mark.parametrize("tear", TEARS, ids=lambda tear: tear.__name__)
async def test_a_torn_tail_swallows_nothing(bench: Bench, tear: Callable[[bytes], bytes]) -> None:
    """S23: the fragment becomes part of no record; every pointer, old or new, leads to its own."""
    await bench.add(1, 2)
    third, *_ = bench.lines(3)
    with bench.path.open("ab") as file:
        file.write(tear(encode(third)))
    assert (await bench.read())[:2] == ((1, "report"), (2, "report"))
    assert await bench.add(3, 4) == (3, 4)
    assert len(bench.told) == 1
    assert bench.path.name in bench.told[0]
    assert await bench.read() == tuple((n, "report") for n in (1, 2, 3, 4))
    assert bench.path.read_bytes() == b"".join(encode(each) for each in bench.lines(1, 2, 3, 4))


async def test_an_emptied_journal_is_made_again(bench: Bench) -> None:
    """S23: a file of zero bytes is filled up from the store, numbers as they were."""
    await bench.add(1, 2)
    bench.path.write_bytes(b"")
    bench.kept = bench.lines(1, 2)
    assert await bench.add(3) == (3,)
    assert await bench.read() == ((1, "report"), (2, "report"), (3, "report"))


async def test_a_whole_record_without_newline_is_read(bench: Bench) -> None:
    """S23: a complete object at the end counts, before and after it gets its newline."""
    await bench.add(1, 2)
    bench.path.write_bytes(bench.path.read_bytes()[:-1])
    assert await bench.read() == ((1, "report"), (2, "report"))
    assert await bench.add(2) == (2,)
    assert bench.path.read_bytes().endswith(b"}\n")
    assert await bench.read() == ((1, "report"), (2, "report"))


async def test_altered_lines_are_marked_and_stay(bench: Bench) -> None:
    """A line somebody altered is shown as damaged, read past, and never rewritten."""
    await bench.add(1, 2, 3)
    altered = bench.path.read_bytes().replace(b"line 2", b"LINE 2")
    bench.path.write_bytes(altered)
    assert await bench.read() == ((1, "report"), (2, "!report"), (3, "report"))
    assert await bench.add(2) == ()
    assert "holds something else" in bench.told[0]
    assert await bench.add(4) == (4,)
    assert bench.path.read_bytes().startswith(altered)


async def test_damage_in_the_middle_stays(bench: Bench) -> None:
    """Bytes that are no record, with records behind them, are read past and never rewritten."""
    await bench.add(1, 2, 3)
    lines = bench.path.read_bytes().split(b"\n")
    lines[1] = b"\xff\x00 not json"
    bench.path.write_bytes(b"\n".join(lines))
    assert await bench.add(2, 4) == (4,)
    assert await bench.read() == ((1, "report"), (2, "!"), (3, "report"), (4, "report"))


async def test_scribbles_at_the_end_take_no_ones_place(bench: Bench) -> None:
    """What a child wrote into its own journal does not shift the numbers of what follows."""
    await bench.add(1)
    with bench.path.open("ab") as file:
        file.write(b'{"note": "mine"}\n' + encode(bench.lines(1)[0]))
    assert await bench.add(2) == (2,)
    assert await bench.read() == ((1, "report"), (2, "report"))


async def test_a_tear_that_ends_in_newlines_costs_no_record(bench: Bench) -> None:
    """S23: what was torn and closed by a newline, or two, is cut and comes from the store again."""
    for end in (b"\n", b"\n\n", b"\n\0\0\0\n"):
        bench.path.unlink(missing_ok=True)
        await bench.add(1, 2, 3)
        whole = bench.path.read_bytes()
        third = encode(bench.lines(3)[0])
        bench.path.write_bytes(whole[: -len(third)] + cut_in_half(third) + end)
        bench.kept = bench.lines(1, 2, 3)
        assert await bench.add(4) == (4,)
        assert bench.path.read_bytes() == whole + encode(bench.lines(4)[0])
        (told,) = bench.told
        assert "were no records and were cut" in told
        bench.told.clear()


async def test_the_store_is_asked_only_for_what_is_missing(bench: Bench) -> None:
    """A line removed by hand shifts those behind it; new lines stand in their own place again."""
    await bench.add(1, 2, 3)
    lines = bench.path.read_bytes().split(b"\n")
    bench.path.write_bytes(b"\n".join([lines[0], *lines[2:]]))
    bench.kept = bench.lines(3)
    assert await bench.add(4) == (4,)
    assert await bench.read() == ((1, "report"), (2, "!report"), (3, "report"), (4, "report"))


async def test_one_bad_journal_does_not_hold_up_another(bench: Bench) -> None:
    """In one batch the lines of other nodes are written all the same."""
    bench.path.parent.mkdir(parents=True)
    bench.path.mkdir()
    safe = await bench.journals.append((*bench.lines(1), line(bench.mother, 1)))
    assert safe == ((bench.mother.node_id, 1),)


async def test_a_write_that_fails_leaves_no_part(bench: Bench) -> None:
    """Where the file may not grow, nothing of the batch stays; later the same lines are written."""
    await bench.add(1)
    before = bench.path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 50, hard))
    try:
        assert await bench.add(2, 3) == ()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert bench.path.read_bytes() == before
    assert "too large" in bench.told[0]
    assert await bench.add(2, 3) == (2, 3)


async def test_a_sync_that_fails_makes_nothing_safe(bench: Bench) -> None:
    """Lines the disk did not confirm are taken back, so that they are written anew and synced."""
    await bench.add(1)
    before = bench.path.read_bytes()
    bench.sync_fault = OSError(errno.EIO, "Input/output error")
    assert await bench.add(2) == ()
    assert bench.path.read_bytes() == before
    bench.sync_fault = None
    assert await bench.add(2) == (2,)
    assert bench.syncs == 3


async def test_a_scribble_beside_an_append_is_noticed_by_the_next(bench: Bench) -> None:
    """What somebody else adds while a line is being synced becomes part of no later record."""
    await bench.add(1)
    bench.at_sync = lambda: scribble(bench.path)
    assert await bench.add(2) == (2,)
    bench.at_sync = int
    assert await bench.add(3) == (3,)
    assert await bench.read() == tuple((n, "report") for n in (1, 2, 3))
    assert bench.path.read_bytes() == b"".join(encode(each) for each in bench.lines(1, 2, 3))


async def test_scribbles_at_any_moment_displace_no_line(bench: Bench) -> None:
    """Against somebody who scribbles all the time each line that counts as safe is in its place."""
    await bench.add(1)
    stopped = threading.Event()

    def scribble_on() -> None:
        while not stopped.wait(0.0005):
            scribble(bench.path)

    scribbler = threading.Thread(target=scribble_on)
    scribbler.start()
    safe = [n for n in range(2, 80) for _ in await bench.add(n)]
    stopped.set()
    scribbler.join()
    last = 80
    await bench.add(*range(2, last + 1))
    found = await bench.read()
    assert found == tuple((n, "report") for n in range(1, last + 1))
    assert safe


def scribble(path: Path) -> None:
    """Add half a record, as a program that knows no better."""
    with path.open("ab") as file:
        file.write(b'{"v":1,"n":')


async def test_nodes_are_rebuilt_from_journals(bench: Bench) -> None:
    """Typed lines give back nodes: running, settled, released, with counts and checkpoint."""
    mother = root(1, str(bench.workspace))
    kid, done = child(2, mother), child(3, mother)
    report = {"stage": "finding", "output": "o"}
    settlement = {
        "outcome": "completed", "stopReason": "completed", "reason": "final-report",
        "author": "child", "output": "all done",
    }  # fmt: skip
    checkpoint = {"phase": "p" * 300, "state": "s", "nextStep": "☂" * 300}
    await bench.journals.append(
        (
            line(mother, 1, "opened", builtins(mother)),
            line(kid, 1, "admitted", builtins(kid)),
            line(kid, 2, "report", report),
            line(kid, 3, "checkpoint", checkpoint),
            line(done, 1, "admitted", builtins(done)),
            line(done, 2, "report", {**report, "stage": "final", "outcome": "completed"}),
            line(done, 3, "settled", settlement),
            line(done, 4, "released", {"forced": True}),
        )
    )
    (bench.path.parent / "x.journal.jsonl").write_text("{}")
    (bench.path.parent / f"{child(9, mother).node_id}.journal.jsonl").symlink_to("/etc/passwd")
    nodes = await bench.journals.rebuild((str(bench.workspace), "/gone"))
    assert [node.node_id for node in nodes] == [mother.node_id, kid.node_id, done.node_id]
    _, live, ended = nodes
    assert (live.is_live, live.findings, live.reports, live.journal_lines) == (True, 1, 1, 3)
    assert live.checkpoint is not None
    assert (live.checkpoint.line, len(live.checkpoint.phase)) == (3, 200)
    assert live.checkpoint.next_step == "☂" * 133
    assert ended.settlement is not None
    assert (ended.status, ended.settlement.output, ended.forced) == ("released", "all done", True)
    assert len(bench.told) == 2


async def test_a_journal_copied_from_elsewhere_rebuilds_nothing(bench: Bench) -> None:
    """A journal whose record names another workspace is passed over, with a warning."""
    stranger = root(5, "/somewhere/else")
    await bench.journals.append(
        (line(root(5, str(bench.workspace)), 1, "opened", builtins(stranger)),)
    )
    assert await bench.journals.rebuild((str(bench.workspace),)) == ()
    assert "tells no node" in bench.told[0]
