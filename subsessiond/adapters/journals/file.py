"""One journal file: what is in it, and how lines come into it. Runs in the journals' thread."""

import os
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from subsessiond.adapters.journals.folder import JournalFault, open_file
from subsessiond.adapters.journals.line import (
    LINE_MOST_BYTES,
    decode,
    encode,
    is_record,
    is_same,
    is_well_formed,
    lost,
)
from subsessiond.ports import JournalLine

_PIECE_BYTES = 1 << 20
_KNOWN_FILES = 256  # five full daemons
_FOREIGN_MOST = 10_000
"""Lines behind the last one of ours that are looked at: scribbles are cut, a flood is left."""
_ATTEMPTS = 8  # against somebody else who writes into the file in the very same millisecond


class Survey(msgspec.Struct):
    """Where the lines of a file are, and what else is there."""

    starts: list[int]
    """Offset of each whole line."""
    end: int
    """Offset behind the last whole line; what is left is a torn tail."""
    size: int


class Added(msgspec.Struct, frozen=True):
    """What an append came to."""

    safe: tuple[int, ...] = ()
    """Numbers of lines that are in the file and synced."""
    short_of: int | None = None
    """Nothing was written, because the file ends before this line and it was not given."""
    notes: tuple[str, ...] = ()


Sync = Callable[[int], None]
"""Makes what was written through a descriptor durable; raises OSError."""


class Print(NamedTuple):
    """By what a file is known again."""

    device: int
    inode: int
    size: int
    changed_ns: int


class Known(OrderedDict[str, tuple[Print, Survey]]):
    """What this process left in files, so that it need not read them whole at each append."""

    def keep(self, name: str, left: tuple[Print, Survey]) -> None:
        """Remember one file, forgetting the one not used for longest beyond a bound."""
        self[name] = left
        self.move_to_end(name)
        if len(self) > _KNOWN_FILES:
            self.popitem(last=False)


class Journal:
    """An open journal file that only this process appends to.

    Args:
        folder: Descriptor of its folder; stays the caller's.
        name: Its file name, which is one node's alone.
        sync: How its content is made durable.
        known: What was left in files before.
    """

    def __init__(self, folder: int, name: str, sync: Sync, known: Known) -> None:
        self._folder = folder
        self._name = name
        self._sync = sync
        self._known = known
        self._notes: list[str] = []
        self._file = open_file(folder, name, os.O_RDWR | os.O_APPEND | os.O_CREAT)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def append(self, lines: tuple[JournalLine, ...], *, pad: bool) -> Added:
        """Bring lines into the file.

        Args:
            lines: Of this node, by ascending number.
            pad: Whether to write `lost` lines for those that are missing before; otherwise
                nothing is written and the first missing one is named.

        Raises:
            JournalFault: the file could not be written or synced; it is as it was.
        """
        try:
            for _ in range(_ATTEMPTS):
                survey = self._left() or self._mend_tail(self._survey(lines), lines)
                added = self._add(survey, lines, pad=pad)
                if added is not None:
                    return added
        except OSError as fault:
            raise JournalFault(f"writing {self._name}: {fault.strerror}") from fault
        raise JournalFault(f"writing {self._name}: somebody else writes into it all the time")

    def _add(self, survey: Survey, lines: tuple[JournalLine, ...], *, pad: bool) -> Added | None:
        """Add what is missing; none when somebody else's bytes may have come before it."""
        there = len(survey.starts)
        fresh = tuple(line for line in lines if line.n > there)
        if (gap := _gap(fresh, there)) is not None and not pad:
            return Added(short_of=gap, notes=tuple(self._notes))
        old = tuple(n for line in lines if (n := line.n) <= there and self._holds(survey, line))
        full = _padded(fresh, there)
        if len(full) > len(fresh):
            self._note(f"{len(full) - len(fresh)} lines are lost and stand as such")
        if not self._write(survey, tuple(encode(line) for line in full)):
            return None
        return Added(safe=(*old, *(line.n for line in fresh)), notes=tuple(self._notes))

    def _left(self) -> Survey | None:
        """Give what this process left in the file; none when that is not what is there now."""
        left = self._known.get(self._name)
        return left[1] if left is not None and left[0] == self._print() else None

    def _survey(self, lines: tuple[JournalLine, ...]) -> Survey:
        most = lines[-1].n + _FOREIGN_MOST
        survey = survey_of(self._file, most)
        if len(survey.starts) > most:
            raise JournalFault(f"{self._name} has thousands of lines that were never written")
        return survey

    def _print(self) -> Print:
        found = os.fstat(self._file)
        return Print(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)

    def _mend_tail(self, survey: Survey, lines: tuple[JournalLine, ...]) -> Survey:
        """Bring the end of the file to where the next line can begin."""
        if survey.end < survey.size:
            survey = self._mend_torn(survey)
        survey = self._cut_closed_tear(survey)
        for line in lines:
            if line.n <= len(survey.starts) and not self._is_record(survey, line.n):
                return self._cut_foreign(survey, line.n)
        return survey

    def _mend_torn(self, survey: Survey) -> Survey:
        """Keep a whole record without its newline; cut anything else that has none."""
        n = len(survey.starts) + 1
        if not decode(self._slice(survey.end, survey.size), n).damaged:
            self._append(b"\n")
            self._note(f"line {n} got its missing newline")
            return Survey([*survey.starts, survey.end], survey.size + 1, survey.size + 1)
        self._note(f"a torn tail of {survey.size - survey.end} bytes behind line {n - 1} was cut")
        os.ftruncate(self._file, survey.end)
        return Survey(survey.starts, survey.end, survey.end)

    def _cut_closed_tear(self, survey: Survey) -> Survey:
        """Cut last lines that are no records of any number: a tear behind which a line was ended.

        Why, though no record of ours needs their place: the record that was torn is one of them,
        and is written anew from the store as soon as the file ends before it.
        """
        whole = len(survey.starts)
        while whole and not is_well_formed(self._line(survey, whole)):
            whole -= 1
        return survey if whole == len(survey.starts) else self._cut_from(survey, whole + 1)

    def _cut_foreign(self, survey: Survey, n: int) -> Survey:
        """Cut from line `n`, if no record follows: a tear that ended in newlines, or scribbles."""
        if any(self._is_record(survey, k) for k in range(n, len(survey.starts) + 1)):
            return survey
        return self._cut_from(survey, n)

    def _cut_from(self, survey: Survey, n: int) -> Survey:
        start = survey.starts[n - 1]
        self._note(f"{survey.end - start} bytes from line {n} on were no records and were cut")
        os.ftruncate(self._file, start)
        return Survey(survey.starts[: n - 1], start, start)

    def _is_record(self, survey: Survey, n: int) -> bool:
        return is_record(self._line(survey, n), n)

    def _holds(self, survey: Survey, line: JournalLine) -> bool:
        holds = is_same(decode(self._line(survey, line.n), line.n), line)
        if not holds:
            self._note(f"line {line.n} holds something else and stays; the store keeps the record")
        return holds

    def _line(self, survey: Survey, n: int) -> bytes:
        end = survey.starts[n] if n < len(survey.starts) else survey.end
        return self._slice(survey.starts[n - 1], end - 1)

    def _slice(self, start: int, end: int) -> bytes:
        # Why cut: what is longer is no record, and half of it is none either.
        return os.pread(self._file, min(end - start, LINE_MOST_BYTES), start)

    def _write(self, survey: Survey, lines: tuple[bytes, ...]) -> bool:
        """Append whole lines and sync; on a fault the file is as it was.

        Returns:
            Whether they stand right behind what was surveyed.
        """
        content = b"".join(lines)
        try:
            self._append(content)
            # Why before the sync, which takes its time: what anybody adds from here on is news to
            # the next append, and must not pass for what was left here.
            left = self._print()
            if left.size != survey.end + len(content):
                self._known.pop(self._name, None)
                return False
            self._sync(self._file)
            if survey.end == 0:
                os.fsync(self._folder)
        except OSError:
            # Why: what was not confirmed must be written anew, not found there and believed.
            os.ftruncate(self._file, survey.end)
            raise
        for line in lines:
            survey.starts.append(survey.end)
            survey.end += len(line)
        survey.size = survey.end
        self._known.keep(self._name, (left, survey))
        return True

    def _append(self, content: bytes) -> None:
        rest = memoryview(content)
        while rest:  # one write, but for a disk that fills up or a signal
            rest = rest[os.write(self._file, rest) :]

    def _note(self, what: str) -> None:
        self._notes.append(f"{self._name}: {what}")


def survey_of(file: int, most_lines: int) -> Survey:
    """Find the lines of a file; stops behind `most_lines`, with more than these."""
    starts: list[int] = []
    begin = offset = 0
    while len(starts) <= most_lines and (piece := os.pread(file, _PIECE_BYTES, offset)):
        place = -1
        while (place := piece.find(b"\n", place + 1)) >= 0:
            starts.append(begin)
            begin = offset + place + 1
        offset += len(piece)
    return Survey(starts, begin, offset)


def _gap(fresh: tuple[JournalLine, ...], there: int) -> int | None:
    """Find the first line that is missing between the file and the lines to come."""
    for expected, line in enumerate(fresh, there + 1):
        if line.n != expected:
            return expected
    return None


def _padded(fresh: tuple[JournalLine, ...], there: int) -> tuple[JournalLine, ...]:
    full: list[JournalLine] = []
    for line in fresh:
        full += (lost(line, n) for n in range(there + len(full) + 1, line.n))
        full.append(line)
    return tuple(full)
