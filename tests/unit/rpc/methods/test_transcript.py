"""`rpc.methods.transcript`: what the operator is shown of a child's transcript."""

import dataclasses
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from subsessiond.adapters.transcripts import FileTranscripts
from subsessiond.core.scrub import Scrubber
from subsessiond.model.ids import NodeId
from subsessiond.model.rejection import Code
from subsessiond.model.report import Outcome, Stage
from subsessiond.rpc.call import Call
from subsessiond.rpc.desk import Desk
from subsessiond.rpc.methods import transcript as module
from subsessiond.wire.params import TranscriptParams
from tests.support.desk import PERSON, Bench
from tests.support.trees import node_id

TOKEN = "ghp_" + "Ab3dEf6hIj9lMn2pQr5tUv8xYz1BcD4eFg7h"


class Shelf:
    """Real transcripts behind a bench."""

    def __init__(self, bench: Bench, folder: Path) -> None:
        self.bench = bench
        self.kept = FileTranscripts(folder / "transcripts", bench.clock)
        scrubber = Scrubber(["horse-battery"])
        self.desk = _with(bench, transcripts=self.kept, scrubber=scrubber)

    async def read(self, node: str, after: int | None = None) -> Any:
        """Read a page as the operator."""
        call = Call(caller=PERSON)
        given = {"nodeId": node} if after is None else {"nodeId": node, "after": after}
        params = TranscriptParams.model_validate(given)
        answer = await module.transcript(self.desk, call, params)
        return msgspec.json.decode(msgspec.json.encode(answer))

    async def write(self, node: str, *pieces: tuple[str, bytes], close: bool = True) -> None:
        """Let a child's transcript be written and be on disk."""
        transcript = self.kept.open(NodeId(node))
        for kind, data in pieces:
            transcript.write(kind, data)
        if close:
            transcript.close()
        await self.kept.aclose()


def _with(bench: Bench, **parts: Any) -> Desk:
    return dataclasses.replace(bench.desk, **parts)


@pytest.fixture
async def shelf(bench: Bench, tmp_path: Path) -> AsyncIterator[Shelf]:
    """Give real transcripts behind a bench."""
    made = Shelf(bench, tmp_path)
    yield made
    await made.kept.aclose()


async def test_a_transcript_is_read_in_pages(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the beginning on, each page after the last; the newest where none is named."""
    monkeypatch.setattr(module, "PAGE_BYTES", 150)
    child = await shelf.bench.child(await shelf.bench.root())
    for n in range(1, 6):
        await shelf.write(child, ("out", b"line %d\n" % n))
    first = await shelf.read(child, 0)
    begun = first["records"][0]
    assert (begun["n"], begun["kind"], begun["text"]) == (1, "out", "line 1\n")
    assert (first["more"], first["live"]) == (True, True)
    second = await shelf.read(child, first["next"])
    assert second["records"][0]["n"] == first["next"] + 1
    last = await shelf.read(child)
    assert last["records"][-1]["text"] == "line 5\n"
    assert (last["next"], last["more"]) == (5, False)
    nothing = await shelf.read(child, 5)
    assert (nothing["records"], nothing["next"], nothing["more"]) == ([], 5, False)


async def test_a_child_that_is_gone_says_no_more(shelf: Shelf) -> None:
    """Once its processes are gone, or are what cannot be ended, nothing more is to come."""
    root = await shelf.bench.root()
    gone, left = await shelf.bench.child(root), await shelf.bench.child(root)
    await shelf.bench.finish(gone)
    await shelf.bench.say(left, "done", Stage.FINAL, outcome=Outcome.COMPLETED)
    assert (await shelf.read(left))["live"]
    await shelf.bench.gone(left, "pid 5")
    assert not (await shelf.read(gone))["live"]
    assert not (await shelf.read(left))["live"]
    refused = await shelf.bench.refusal("subsession.transcript", nodeId=node_id(77))
    assert refused.code is Code.NOT_FOUND


@pytest.mark.parametrize("cut", range(1, len(TOKEN), 3))
async def test_a_secret_in_two_chunks_is_not_shown(shelf: Shelf, cut: int) -> None:
    """However a program's output was chunked, and whatever came between, a key is one key."""
    child = await shelf.bench.child(await shelf.bench.root())
    raw = f"a {TOKEN} b\nand horse-battery\n".encode()
    await shelf.write(child, ("out", raw[: cut + 2]), ("err", b"x\n"), ("out", raw[cut + 2 :]))
    shown = await shelf.read(child, 0)
    text = "".join(r["text"] for r in shown["records"] if r["kind"] == "out")
    assert text == "a [removed] b\nand [removed]\n"


async def test_a_secret_over_several_pieces_is_not_shown_by_any_page(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key block of many pieces is taken out of every page, wherever a page begins or ends."""
    monkeypatch.setattr(module, "PAGE_BYTES", 150)
    child = await shelf.bench.child(await shelf.bench.root())
    line = "MIIEowIBAAKCAQEA75c1" * 3
    begin, end = "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"
    for one in ("before", begin, *[line] * 12, end, "x"):
        await shelf.write(child, ("out", f"{one}\n".encode()))
    text, after, more = "", 0, True
    while more:
        page = await shelf.read(child, after)
        text += "".join(record["text"] for record in page["records"])
        assert page["next"] > after or not page["more"]
        after, more = page["next"], page["more"]
    assert "MII" not in text
    assert text.startswith("before\n")
    assert text.endswith("x\n")
    newest = await shelf.read(child)
    assert "MII" not in "".join(record["text"] for record in newest["records"])


async def test_half_a_line_waits_for_its_other_half(shelf: Shelf) -> None:
    """A line too long for one piece is shown without its last piece while more of it may come."""
    child = await shelf.bench.child(await shelf.bench.root())
    half = b"x" * 65_531 + TOKEN[:9].encode()
    await shelf.write(child, ("out", b"first\n"), ("out", half), close=False)
    page = await shelf.read(child, 0)
    assert [record["text"] for record in page["records"]] == ["first\n"]
    assert page["next"] == 1


async def test_the_newest_are_scrubbed_with_what_stands_before_them(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is only looked at is not shown; the beginning of a transcript is."""
    monkeypatch.setattr(module, "PAGE_BYTES", 600)
    monkeypatch.setattr(module, "BEFORE_BYTES", 100)
    child = await shelf.bench.child(await shelf.bench.root())
    for n in range(20):
        await shelf.write(child, ("out", b"%060d\n" % n))
    numbers = [record["n"] for record in (await shelf.read(child))["records"]]
    assert numbers[-1] == 20
    assert 2 <= len(numbers) <= 5
    other = await shelf.bench.child(await shelf.bench.root())
    await shelf.write(other, ("out", b"only\n"))
    assert [record["n"] for record in (await shelf.read(other))["records"]] == [1]


async def test_few_newest_are_all_shown_but_what_is_looked_at(shelf: Shelf) -> None:
    """Where the newest that are kept begin late and are few, the last of them is shown at least."""
    child = await shelf.bench.child(await shelf.bench.root())
    await shelf.write(child, ("out", b"one\n"), ("err", b"x" * 70_000 + b"\n"), ("out", b"end\n"))
    folder = shelf.kept._base / child  # noqa: SLF001
    (file,) = folder.iterdir()
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[-1:]))
    page = await shelf.read(child)
    assert [record["text"] for record in page["records"]] == ["end\n"]
