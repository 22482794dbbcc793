"""What every keeper of transcripts promises, held by the real one and the one in memory."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from subsessiond.adapters.transcripts import FileTranscripts
from subsessiond.model.ids import NodeId
from subsessiond.ports import Transcripts
from tests.support.manual_clock import ManualClock
from tests.support.transcripts import ListedTranscripts

NODE = NodeId("0" * 26)


@pytest.fixture(params=["files", "memory"])
async def transcripts(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Transcripts]:
    """Give a keeper of each kind."""
    if request.param == "memory":
        yield ListedTranscripts()
        return
    kept = FileTranscripts(tmp_path, ManualClock())
    yield kept
    await kept.aclose()


async def flushed(transcripts: Transcripts) -> None:
    """Return when all that was written can be read."""
    if isinstance(transcripts, FileTranscripts):
        await transcripts.aclose()


async def test_what_is_written_is_read_in_its_order(transcripts: Transcripts) -> None:
    """Bytes, texts and dictionaries come back with their kinds, numbered from one."""
    transcript = transcripts.open(NODE)
    transcript.write("out", b"a line\n")
    transcript.write("note", "a text")
    transcript.write("in", {"id": 1})
    transcript.close()
    transcript.close()
    await flushed(transcripts)
    page = await transcripts.read(NODE, 0, 10_000)
    assert [(entry.n, entry.kind) for entry in page.entries] == [(1, "out"), (2, "note"), (3, "in")]
    assert page.entries[0].text == "a line\n"
    assert page.upto == 3
    assert [entry.n for entry in (await transcripts.read(NODE, 2, 10_000)).entries] == [3]


async def test_all_bytes_are_counted(transcripts: Transcripts) -> None:
    """What was written is counted in bytes of UTF-8."""
    transcript = transcripts.open(NODE)
    transcript.write("out", b"\xe2\x82\xac\n")
    transcript.write("note", "€")
    assert transcript.total_bytes == 7
    transcript.close()


async def test_a_transcript_goes_on(transcripts: Transcripts) -> None:
    """One that is opened again is gone on with."""
    for text in ("one", "two"):
        transcript = transcripts.open(NODE)
        transcript.write("note", text)
        transcript.close()
    await flushed(transcripts)
    page = await transcripts.read(NODE, 0, 10_000)
    assert [entry.text.strip() for entry in page.entries] == ["one", "two"]


async def test_nothing_is_read_of_what_was_never_written(transcripts: Transcripts) -> None:
    """No transcript is an empty one."""
    page = await transcripts.read(NODE, None, 100)
    assert page.entries == ()


async def test_what_never_came_is_counted_too(transcripts: Transcripts) -> None:
    """A loss that is told counts as produced; where nothing was lost nothing changes."""
    transcript = transcripts.open(NODE)
    transcript.write("note", "one")
    transcript.lose(5)
    transcript.lose(0)
    assert transcript.total_bytes == 8
    transcript.close()
    await flushed(transcripts)
