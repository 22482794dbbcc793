"""Reading transcripts back, a bounded part at a time."""

from pathlib import Path
from typing import Final

import aiofiles
import msgspec

from subsessiond.adapters.transcripts.layout import file_name, first_numbers
from subsessiond.ports import TranscriptEntry, TranscriptPage

_decode: Final = msgspec.json.Decoder(TranscriptEntry).decode


async def read_after(folder: Path, after: int, limit_bytes: int) -> TranscriptPage:
    """Read pieces with greater numbers, oldest first; at least one where there is one."""
    firsts = first_numbers(folder)
    begin = max((i for i, first in enumerate(firsts) if first <= after + 1), default=0)
    found: list[TranscriptEntry] = []
    size = 0
    for first in firsts[begin:]:
        for line in await _lines(folder, first):
            entry = _entry(line)
            if entry is None or entry.n <= after:
                continue
            size += len(line)
            if found and size > limit_bytes:
                return _page(found, after, more=True)
            found.append(entry)
    return _page(found, after, more=False)


async def read_last(folder: Path, limit_bytes: int) -> TranscriptPage:
    """Read the newest pieces there are room for."""
    found: list[TranscriptEntry] = []
    size = 0
    for first in reversed(first_numbers(folder)):
        for line in reversed(await _lines(folder, first)):
            entry = _entry(line)
            if entry is None:
                continue
            size += len(line)
            if found and size > limit_bytes:
                return _page(found[::-1], 0, more=False)
            found.append(entry)
    return _page(found[::-1], 0, more=False)


async def _lines(folder: Path, first: int) -> list[bytes]:
    """Read a file's whole lines; one that was dropped meanwhile has none."""
    try:
        async with aiofiles.open(folder / file_name(first), "rb") as file:
            data = await file.read()
    except FileNotFoundError:
        return []
    return data.split(b"\n")[:-1]


def _entry(line: bytes) -> TranscriptEntry | None:
    """Read a line; one that was altered is passed over."""
    try:
        return _decode(line)
    except msgspec.DecodeError:
        return None


def _page(found: list[TranscriptEntry], after: int, *, more: bool) -> TranscriptPage:
    return TranscriptPage(entries=tuple(found), upto=found[-1].n if found else after, more=more)
