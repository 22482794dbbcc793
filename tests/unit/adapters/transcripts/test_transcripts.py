from collections import Counter
from pathlib import Path
from typing import Any

from subsessiond.adapters.transcripts import FileTranscripts
from subsessiond.adapters.transcripts.layout import FILE_BYTES as MIB
from subsessiond.adapters.transcripts.layout import FILES, file_name
from subsessiond.adapters.transcripts.transcripts import DAY_MS
from subsessiond.model.ids import NodeId
from subsessiond.model.ledger import Stream
from tests.support.manual_clock import ManualClock

NODE, OTHER = NodeId("0" * 26), NodeId("1" * 26)


async def test_what_cannot_be_written_as_json_is_said(tmp_path: Path) -> None:
    """A dictionary without end, and one of what JSON does not know, raise nothing."""
    transcripts = FileTranscripts(tmp_path, ManualClock())
    transcript = transcripts.open(NODE)
    endless: dict[str, Any] = {}
    endless["self"] = endless
    transcript.write("in", endless)
    transcript.write("in", {"a": object()})
    transcript.write("in", "half \ud800")
    transcript.close()
    await transcripts.aclose()
    texts = [entry.text for entry in (await transcripts.read(NODE, 0, 10_000)).entries]
    assert texts[0].startswith("what JSON has no word for")
    assert texts[1].startswith("what JSON has no word for")
    assert texts[2] == "half \\ud800\n"


async def test_pieces_are_stamped(tmp_path: Path) -> None:
    """A piece bears the wall clock's time."""
    clock = ManualClock(at_ms=77)
    transcripts = FileTranscripts(tmp_path, clock)
    transcript = transcripts.open(NODE)
    transcript.write("note", "begun")
    transcript.close()
    await transcripts.aclose()
    assert [entry.at_ms for entry in (await transcripts.read(NODE, None, 99)).entries] == [77]


async def test_transcripts_of_children_under_way_are_not_pruned(tmp_path: Path) -> None:
    """Until the last who writes one has closed it, it stays whatever its age."""
    transcripts = FileTranscripts(tmp_path, ManualClock(at_ms=10**15))
    first, second = transcripts.open(NODE), transcripts.open(NODE)
    for transcript in (first, second):
        transcript.write("note", "a")
    await transcripts.aclose()
    assert await transcripts.prune(30, 10**9) == 0
    first.close()
    first.close()
    assert await transcripts.prune(30, 10**9) == 0
    second.close()
    await transcripts.aclose()
    assert await transcripts.prune(30, 10**9) == 1
    assert not (tmp_path / NODE).exists()
    assert DAY_MS == 86_400_000


async def test_two_who_write_one_transcript_share_its_numbers(tmp_path: Path) -> None:
    """No number is given twice, however many have it open."""
    transcripts = FileTranscripts(tmp_path, ManualClock())
    first, second = transcripts.open(NODE), transcripts.open(NODE)
    for transcript in (first, second, first):
        transcript.write("note", "a")
    first.close()
    second.write("note", "b")
    second.close()
    await transcripts.aclose()
    page = await transcripts.read(NODE, 0, 999)
    assert [entry.n for entry in page.entries] == [1, 2, 3, 4]


async def test_nothing_is_made_for_nothing(tmp_path: Path) -> None:
    """A child that says nothing leaves no file."""
    transcripts = FileTranscripts(tmp_path / "t", ManualClock())
    transcript = transcripts.open(OTHER)
    transcript.write("out", b"")
    transcript.close()
    await transcripts.aclose()
    assert not (tmp_path / "t").exists()


async def test_nothing_is_written_after_the_end(tmp_path: Path) -> None:
    """What comes after the close is counted and not kept."""
    transcripts = FileTranscripts(tmp_path, ManualClock())
    transcript = transcripts.open(NODE)
    transcript.write("out", b"a\n")
    transcript.close()
    transcript.write("out", b"late\n")
    await transcripts.aclose()
    assert b"late" not in (tmp_path / NODE / file_name(1)).read_bytes()
    assert transcript.total_bytes == 7


async def test_a_loss_after_the_end_is_counted_and_not_told(tmp_path: Path) -> None:
    """A transcript that is closed keeps what it has."""
    transcripts = FileTranscripts(tmp_path, ManualClock())
    transcript = transcripts.open(NODE)
    transcript.write("note", "a")
    transcript.close()
    transcript.lose(4)
    await transcripts.aclose()
    assert transcript.total_bytes == 5
    assert b"dropped" not in (tmp_path / NODE / file_name(1)).read_bytes()


async def test_all_that_is_given_is_counted_by_its_direction(tmp_path: Path) -> None:
    """What was dropped, lost or let go of by rotation counts as well; our own notes do not."""
    counted: Counter[Stream] = Counter()

    def count(node: NodeId, stream: Stream, size: int) -> None:
        assert node == NODE
        counted[stream] += size

    transcripts = FileTranscripts(tmp_path, ManualClock(), count)
    transcript = transcripts.open(NODE)
    line = b"x" * (MIB - 1) + b"\n"
    for _ in range(FILES + 4):
        transcript.write("out", line)
    transcript.write("in", {"id": 1})
    transcript.write("err", b"oh")
    transcript.lose(5)
    transcript.write("note", "ours")
    transcript.close()
    transcript.write("out", b"late")
    await transcripts.aclose()
    printed = (FILES + 4) * MIB + len(b"late")
    assert counted == {Stream.PRINTED: printed, Stream.SAID: 8, Stream.ERRORS: 7}
    assert sum(path.stat().st_size for path in (tmp_path / NODE).iterdir()) < printed
