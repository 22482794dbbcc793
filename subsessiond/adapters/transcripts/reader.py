"""Reading transcripts back, a bounded part at a time."""

import asyncio
import os
from collections import deque
from pathlib import Path
from typing import Final

import aiofiles
import msgspec

from subsessiond.adapters.transcripts.layout import FILE_BYTES, first_numbers, open_file
from subsessiond.ports import TranscriptEntry, TranscriptPage

FILE_MOST: Final = 4 * FILE_BYTES
"""Bytes read of a file: more than any of ours has, whose last write may be all escapes."""

NUMBER_MOST: Final = 2**53 - 1

_decode: Final = msgspec.json.Decoder(TranscriptEntry).decode


async def read_after(
    folder: Path, after: int, limit_bytes: int, before_bytes: int = 0
) -> TranscriptPage:
    """Read pieces with greater numbers, oldest first; at least one where there is one."""
    firsts = first_numbers(folder)
    begin = max((i for i, first in enumerate(firsts) if first <= after + 1), default=0)
    before = _Before(before_bytes)
    found: list[TranscriptEntry] = []
    size = 0
    # Why one file more: what stands before the first piece of a file is in the one before.
    for first in firsts[max(0, begin - bool(before_bytes)) :]:
        for line in await _lines(folder, first):
            entry = _entry(line)
            if entry is None:
                continue
            if entry.n <= after:
                before.add(entry, len(line))
                continue
            size += len(line)
            if found and size > limit_bytes:
                return _page([*before.kept, *found], after, more=True)
            found.append(entry)
    return _page([*before.kept, *found] if found else [], after, more=False)


class _Before:
    """The last pieces before a page, as many as there is room for."""

    def __init__(self, room_bytes: int) -> None:
        self.kept: deque[TranscriptEntry] = deque()
        self._sizes: deque[int] = deque()
        self._room = room_bytes

    def add(self, entry: TranscriptEntry, size: int) -> None:
        """Take one more; the oldest go."""
        self.kept.append(entry)
        self._sizes.append(size)
        self._room -= size
        while self._room < 0:
            self.kept.popleft()
            self._room += self._sizes.popleft()


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
    """Read a file's whole lines; one that was dropped meanwhile, or is none of ours, has none."""
    try:
        descriptor = await asyncio.to_thread(open_file, folder, first, os.O_RDONLY)
    except OSError:
        return []
    async with aiofiles.open(descriptor, "rb") as file:
        data = await file.read(FILE_MOST)
    return data.split(b"\n")[:-1]


def _entry(line: bytes) -> TranscriptEntry | None:
    """Read a line; one that was altered is passed over."""
    try:
        entry = _decode(line)
    except msgspec.DecodeError:
        return None
    return entry if 0 < entry.n <= NUMBER_MOST else None


def _page(found: list[TranscriptEntry], after: int, *, more: bool) -> TranscriptPage:
    return TranscriptPage(entries=tuple(found), upto=found[-1].n if found else after, more=more)
