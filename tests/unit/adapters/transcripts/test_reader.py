from pathlib import Path

import pytest

from subsessiond.adapters.transcripts import reader
from subsessiond.adapters.transcripts.layout import FILE_BYTES, file_name, first_numbers
from subsessiond.adapters.transcripts.reader import read_after, read_last
from subsessiond.adapters.transcripts.spool import Part, Spool


def spool(folder: Path, count: int, size: int = 1) -> None:
    """Write so many numbered pieces."""
    made = Spool(folder)
    for n in range(1, count + 1):
        made.append([Part(n, "out", f"{n}" + "x" * size + "\n", more=False)])
    made.close()


async def test_pages_follow_each_other(tmp_path: Path) -> None:
    """Each page goes on after the last, within its bound, and says whether more is there."""
    spool(tmp_path / "n", 5)
    first = await read_after(tmp_path / "n", 0, 100)
    assert [entry.n for entry in first.entries] == [1, 2]
    assert (first.upto, first.more) == (2, True)
    rest = await read_after(tmp_path / "n", first.upto, 100_000)
    assert [entry.n for entry in rest.entries] == [3, 4, 5]
    assert (rest.upto, rest.more) == (5, False)
    nothing = await read_after(tmp_path / "n", 5, 100)
    assert (nothing.entries, nothing.upto, nothing.more) == ((), 5, False)


async def test_one_piece_always_fits(tmp_path: Path) -> None:
    """A bound smaller than a piece gives that piece: a reader always gets on."""
    spool(tmp_path / "n", 2, 500)
    assert [entry.n for entry in (await read_after(tmp_path / "n", 0, 10)).entries] == [1]
    assert [entry.n for entry in (await read_last(tmp_path / "n", 10)).entries] == [2]


async def test_the_newest_come_in_their_order(tmp_path: Path) -> None:
    """The last pieces there is room for, oldest first."""
    spool(tmp_path / "n", 5)
    page = await read_last(tmp_path / "n", 100)
    assert [entry.n for entry in page.entries] == [4, 5]
    assert (page.upto, page.more) == (5, False)


async def test_files_are_read_one_after_the_other(tmp_path: Path) -> None:
    """Pages cross the files of a transcript, and skip one that is gone."""
    spool(tmp_path / "n", 60, 60_000)
    firsts = first_numbers(tmp_path / "n")
    assert len(firsts) > 2
    page = await read_after(tmp_path / "n", firsts[1] - 2, 2 * FILE_BYTES)
    assert page.entries[0].n == firsts[1] - 1
    assert page.entries[-1].n > firsts[1]
    last = await read_last(tmp_path / "n", 2 * FILE_BYTES)
    assert last.entries[0].n < firsts[-1]
    (tmp_path / "n" / file_name(firsts[1])).unlink()
    gap = await read_after(tmp_path / "n", firsts[1], 10)
    assert gap.entries[0].n == firsts[2]


async def test_a_file_that_goes_meanwhile_has_no_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file dropped between the listing and the reading is passed over."""
    spool(tmp_path / "n", 2)
    monkeypatch.setattr(reader, "first_numbers", lambda _folder: (1, 50))
    page = await read_after(tmp_path / "n", 0, 999)
    assert [entry.n for entry in page.entries] == [1, 2]


async def test_lines_that_are_not_ours_are_passed_over(tmp_path: Path) -> None:
    """An altered line and the half one at the end are no pieces; no folder is no transcript."""
    spool(tmp_path / "n", 1)
    with (tmp_path / "n" / file_name(1)).open("ab") as file:
        file.write(b'oops\n{"n":3,')
    assert [entry.n for entry in (await read_after(tmp_path / "n", 0, 999)).entries] == [1]
    assert [entry.n for entry in (await read_last(tmp_path / "n", 999)).entries] == [1]
    assert (await read_after(tmp_path / "no", 4, 999)).upto == 4
    assert (await read_last(tmp_path / "no", 999)).entries == ()


async def test_what_stands_before_a_page_can_be_seen(tmp_path: Path) -> None:
    """So many bytes of the pieces before it come first, across files, when there is a page."""
    spool(tmp_path / "n", 60, 60_000)
    second = first_numbers(tmp_path / "n")[1]
    page = await read_after(tmp_path / "n", second - 1, 10, 130_000)
    assert [entry.n for entry in page.entries] == [second - 2, second - 1, second]
    assert page.upto == second
    few = await read_after(tmp_path / "n", second - 1, 10, 100)
    assert [entry.n for entry in few.entries] == [second]
    assert (await read_after(tmp_path / "n", 60, 10, 130_000)).entries == ()
