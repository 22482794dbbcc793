"""Links, pipes and files planted where a transcript would be: nothing outside is touched, and
nobody is held up.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from subsessiond.adapters.transcripts import FileTranscripts
from subsessiond.adapters.transcripts.layout import FILES, file_name
from subsessiond.adapters.transcripts.pruning import prune
from subsessiond.adapters.transcripts.reader import FILE_MOST
from subsessiond.model.ids import NodeId
from tests.support.manual_clock import ManualClock

NODE = NodeId("0" * 26)
WITHIN_S = 10
VICTIM = b'{"n":1,"atMs":1,"kind":"out","text":"not yours\\n","more":false}\n'
GIB = 1024 * 1024 * 1024


@asynccontextmanager
async def kept(base: Path) -> AsyncIterator[FileTranscripts]:
    """Give the keeper of the transcripts below a folder."""
    transcripts = FileTranscripts(base, ManualClock())
    try:
        async with asyncio.timeout(WITHIN_S):
            yield transcripts
    finally:
        await transcripts.aclose()


def folder_is_link(folder: Path, outside: Path) -> None:
    """The child's folder leads elsewhere."""
    folder.symlink_to(outside)


def file_is_link(folder: Path, outside: Path) -> None:
    """The first file is a link to a file elsewhere."""
    folder.mkdir()
    (folder / file_name(1)).symlink_to(outside / file_name(1))


def file_is_dangling(folder: Path, outside: Path) -> None:
    """The first file is a link to where nothing is."""
    folder.mkdir()
    (folder / file_name(1)).symlink_to(outside / "new")


def file_is_second_name(folder: Path, outside: Path) -> None:
    """The first file is a hard link of a file elsewhere."""
    folder.mkdir()
    (folder / file_name(1)).hardlink_to(outside / file_name(1))


def file_is_pipe(folder: Path, _outside: Path) -> None:
    """The first file is a pipe that nobody writes."""
    folder.mkdir()
    os.mkfifo(folder / file_name(1))


def file_is_folder(folder: Path, _outside: Path) -> None:
    """The first file is a folder."""
    (folder / file_name(1)).mkdir(parents=True)


PLANTS = (
    *(folder_is_link, file_is_link, file_is_dangling),
    *(file_is_second_name, file_is_pipe, file_is_folder),
)


@pytest.mark.scenario("S37")
@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.__name__)
async def test_planted_links_are_not_followed(
    tmp_path: Path, plant: Callable[[Path, Path], None]
) -> None:
    """Nothing outside is made, read, changed or removed through what was planted."""
    base, outside = tmp_path / "transcripts", tmp_path / "outside"
    for made in (base, outside):
        made.mkdir()
    (outside / file_name(1)).write_bytes(VICTIM)
    plant(base / NODE, outside)
    async with kept(base) as transcripts:
        transcript = transcripts.open(NODE)
        transcript.write("out", b"a secret of the child\n" * 100)
        transcript.close()
        await transcripts.aclose()
        for after in (None, 0):
            assert (await transcripts.read(NODE, after, 10_000)).entries == ()
        assert transcript.total_bytes == 2_200
    os.utime(outside / file_name(1), (1, 1))
    prune(base, 10_000, 0, ())
    assert {path.name: path.read_bytes() for path in outside.iterdir()} == {file_name(1): VICTIM}


async def test_a_file_of_any_size_is_read_no_further_than_one_of_ours(tmp_path: Path) -> None:
    """What a child makes of its own transcript costs the daemon no more than a transcript."""
    folder = tmp_path / NODE
    folder.mkdir()
    with (folder / file_name(1)).open("wb") as file:
        file.write(VICTIM)
        file.truncate(8 * GIB)
    async with kept(tmp_path) as transcripts:
        assert [e.text for e in (await transcripts.read(NODE, 0, GIB)).entries] == ["not yours\n"]
    assert FILE_MOST < 8 * 1024 * 1024


async def test_files_without_number_are_not_all_read(tmp_path: Path) -> None:
    """As many as a transcript has are looked at, and a number that is none is passed over."""
    folder = tmp_path / NODE
    folder.mkdir()
    for n in range(1, 3_000):
        (folder / file_name(n)).write_bytes(VICTIM.replace(b'"n":1', b'"n":%d' % n))
    (folder / file_name(1)).write_bytes(VICTIM.replace(b'"n":1', b'"n":' + b"9" * 30))
    async with kept(tmp_path) as transcripts:
        page = await transcripts.read(NODE, 0, GIB)
    assert len(page.entries) == FILES - 1
    assert max(entry.n for entry in page.entries) == 2_999
