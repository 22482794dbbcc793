"""Lines of a child's output read as JSON objects; everything else is noise, counted.

Agents print banners, warnings and hook logs between their frames. None of it may end the reading,
and a person may see a little of it when the child failed.
"""

import json
from collections import deque
from typing import Any, Final

import msgspec

from subsessiond.adapters.runners.plain import readable
from subsessiond.core.bounds import cut_bytes
from subsessiond.core.jsontext import has_too_many

SAMPLE_LINES: Final = 4
"""Kept of the first noise, which is often a banner, and of the last, which is often the reason."""

SAMPLE_BYTES: Final = 240
"""Of one line of noise."""

_decode = msgspec.json.Decoder().decode


class Frames:
    """Reads lines, and remembers what was none of ours."""

    def __init__(self) -> None:
        self._first: list[bytes] = []
        self._last: deque[bytes] = deque(maxlen=SAMPLE_LINES)
        self.noise = 0
        """Lines that were no JSON object."""

    def read(self, line: bytes) -> dict[str, Any] | None:
        """Give the object on a line; none where there is no object, which is counted as noise.

        Of a name that is given twice the last one counts.
        """
        value = parse(line)
        if isinstance(value, dict):
            return value
        self._note(line)
        return None

    def sample(self) -> str:
        """Give a little of the noise: its first and its last lines, each cut."""
        skipped = self.noise - len(self._first) - len(self._last)
        between = [f"({skipped} more lines)"] if skipped > 0 else []
        first, last = map(_shown, self._first), map(_shown, self._last)
        return "\n".join((*first, *between, *last))

    def _note(self, line: bytes) -> None:
        self.noise += 1
        kept = self._first if len(self._first) < SAMPLE_LINES else self._last
        kept.append(line[: 2 * SAMPLE_BYTES])


def _shown(line: bytes) -> str:
    return cut_bytes(readable(line).strip(), SAMPLE_BYTES)


def parse(line: bytes) -> Any:
    """Read one JSON value; none where there is none, however it is broken, nested or stuffed."""
    if has_too_many(line):
        return None
    try:
        return _decode(line)
    except (msgspec.DecodeError, RecursionError):
        return _parse_mended(line) if line.lstrip()[:1] == b"{" else None


def _parse_mended(line: bytes) -> Any:
    """Read what strict readers refuse and agents send: halves of characters, broken UTF-8.

    Why not leave it: the text may be broken, but who waits for this answer would wait for ever.
    """
    try:
        value = json.loads(line.decode(errors="replace"))
        whole = json.dumps(value, ensure_ascii=False).encode(errors="replace")
        return _decode(whole)
    except (ValueError, RecursionError, msgspec.DecodeError):
        return None
