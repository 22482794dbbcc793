"""What journals promise, on real files."""

import asyncio
from collections.abc import Iterator
from typing import Any, ClassVar

from hypothesis import given
from hypothesis import strategies as st

from subsessiond.adapters.journals.line import decode, encode
from subsessiond.ports import JournalLine
from tests.support.journal_bench import Bench
from tests.support.ledger import AT_MS, child, line, root


async def test_lines_are_written_and_read_back(bench: Bench) -> None:
    """What was appended comes back whole, in pages, with the keys a reader of the file expects."""
    assert await bench.add(1, 2, 3) == (1, 2, 3)
    records = await bench.journals.read(str(bench.workspace), bench.child.node_id, 2, 1)
    assert [(r.n, r.at_ms, r.kind, r.body) for r in records] == [
        (2, AT_MS + 2, "report", {"output": "line 2"})
    ]
    assert await bench.read(4) == ()
    first = bench.path.read_bytes().splitlines()[0]
    assert first.startswith(b'{"v":1,"n":1,"at":1800000000001,"kind":"report","body":{"output":')
    assert b'"sha":"' in first


async def test_a_file_is_synced_once_a_batch(bench: Bench) -> None:
    """However many lines a batch has, each file is synced once."""
    mothers = tuple(line(bench.mother, n) for n in (1, 2))
    await bench.journals.append((*bench.lines(1, 2, 3), *mothers))
    assert bench.syncs == 2


class Walked(tuple[JournalLine, ...]):
    """Lines that count how often somebody goes through all of them."""

    __slots__ = ()
    walks: ClassVar[int] = 0

    def __iter__(self) -> Iterator[JournalLine]:
        Walked.walks += 1
        return super().__iter__()


async def test_a_batch_is_gone_through_once_and_not_once_a_node(bench: Bench) -> None:
    """The work of a batch grows with its lines, not with lines times nodes."""
    lines = Walked(line(child(n, bench.mother), 1) for n in range(2, 32))
    Walked.walks = 0
    assert len(await bench.journals.append(lines)) == 30
    assert Walked.walks == 1


async def test_lines_already_there_are_not_written_twice(bench: Bench) -> None:
    """Appending the same lines again changes nothing and calls them safe."""
    await bench.add(1, 2)
    before = bench.path.read_bytes()
    assert await bench.add(1, 2) == (1, 2)
    assert bench.path.read_bytes() == before
    assert await bench.add(2, 3) == (2, 3)
    assert bench.told == []


async def test_the_folder_hides_itself(bench: Bench) -> None:
    """The folder is its owner's, and git sees nothing of it by the folder's own file."""
    await bench.add(1)
    home = bench.workspace / ".subsession"
    assert home.stat().st_mode & 0o777 == 0o700
    assert (home / "journals").stat().st_mode & 0o777 == 0o700
    assert (home / ".gitignore").read_text() == "*\n"
    assert bench.path.stat().st_mode & 0o777 == 0o600
    assert sorted(p.name for p in bench.workspace.iterdir()) == [".subsession"]


async def test_nothing_is_read_where_nothing_is(bench: Bench) -> None:
    """Without a journal a page is empty, and reading makes no folder."""
    assert await bench.read() == ()
    assert list(bench.workspace.iterdir()) == []
    gone = await bench.journals.read("/nowhere/at/all", bench.child.node_id, 1, 10)
    assert gone == ()


async def test_a_workspace_that_is_gone_is_not_made_again(bench: Bench) -> None:
    """Lines for a folder that was removed are not safe, with a warning; nothing is created."""
    bench.workspace.rmdir()
    assert await bench.add(1) == ()
    assert "is gone" in bench.told[0]
    assert not bench.workspace.exists()


async def test_parallel_appends_stay_whole_and_in_order(bench: Bench) -> None:
    """S24: 20 checkpoints of 200 KiB at once, among others' reports, stand each on its own line."""
    big = [line(bench.child, n, "checkpoint", {"state": f"{n:02}" * 102_400}) for n in range(1, 21)]
    others = [line(child(100 + n, bench.mother), 1) for n in range(20)]
    pairs = zip(big, others, strict=True)
    appends = [bench.journals.append((each,)) for pair in pairs for each in pair]
    safe = [pair for done in await asyncio.gather(*appends) for pair in done]
    assert sorted(safe) == sorted((each.node_id, each.n) for each in (*big, *others))
    raw = bench.path.read_bytes().split(b"\n")
    assert raw.pop() == b""
    assert [decode(text, n).body["state"][:2] for n, text in enumerate(raw, 1)] == [
        f"{n:02}" for n in range(1, 21)
    ]
    assert not any(decode(text, n).damaged for n, text in enumerate(raw, 1))
    assert bench.told == []


async def test_a_shorter_journal_is_filled_up(bench: Bench) -> None:
    """After somebody cleaned up, what the store keeps comes back; the rest is marked lost."""
    await bench.add(1, 2, 3, 4, 5)
    bench.path.unlink()
    bench.kept = bench.lines(3, 4, 5, 6)
    assert await bench.add(6) == (6,)
    assert await bench.read() == (
        (1, "lost"),
        (2, "lost"),
        *((n, "report") for n in (3, 4, 5, 6)),
    )
    assert "2 lines are lost" in bench.told[0]
    bench.path.write_bytes(b"")
    bench.kept = bench.lines(7)
    assert await bench.add(7) == (7,)
    assert [n for n, kind in await bench.read() if kind == "lost"] == [1, 2, 3, 4, 5, 6]


async def test_closing_twice_is_closing_once(bench: Bench) -> None:
    """Closing is idempotent."""
    await bench.add(1)
    await bench.journals.aclose()


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("aé\n\\", max_size=4), inner)
    ),
    max_leaves=8,
)


@given(body=st.dictionaries(st.text("kö\u2028", max_size=3), json_values), n=st.integers(1, 10**6))
def test_every_body_survives_its_line(body: dict[str, Any], n: int) -> None:
    """Any JSON object is one line, comes back equal, and one changed byte is noticed."""
    spelled = encode(line(root(1), n, body=body))
    assert spelled.count(b"\n") == 1
    record = decode(spelled[:-1], n)
    assert (record.body, record.damaged) == (body, False)
    assert decode(spelled[:-1], n + 1).damaged
    assert decode(spelled[:-1].replace(b'"kind":"report"', b'"kind":"rePort"'), n).damaged
