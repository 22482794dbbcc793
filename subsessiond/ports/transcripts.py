"""What goes between the daemon and a child, kept for the operator."""

from typing import Any, Protocol

from subsessiond.model.base import Value
from subsessiond.model.ids import NodeId

TranscriptData = bytes | str | dict[str, Any]


class TranscriptEntry(Value, frozen=True, kw_only=True):
    """One piece of a transcript as read back."""

    n: int
    """Its number, from 1; numbers that are missing were dropped."""
    at_ms: int
    kind: str
    text: str
    """What was written; a dictionary as one line of JSON."""
    more: bool = False
    """The next piece goes on with the same line or dictionary."""


class TranscriptPage(Value, frozen=True, kw_only=True):
    """Part of a transcript."""

    entries: tuple[TranscriptEntry, ...]
    upto: int
    """Number to go on after."""
    more: bool = False
    """More was written already than what is given here."""


class Transcript(Protocol):
    """What went between the daemon and one child, for the operator alone.

    All of it is for the event loop's thread only.
    """

    @property
    def total_bytes(self) -> int:
        """All that was given to `write`, kept or dropped: what the child produced, and was told."""

    def write(self, kind: str, data: TranscriptData) -> None:
        """Keep a piece; never blocks and never raises. What finds no room is dropped and counted.

        Args:
            kind: `in` (said to the child), `out` and `err` (what it printed), `note` (our words).
            data: Bytes are a stream: per kind they are made into whole lines, however they were
                chunked; a last line without its end is kept when this is closed. A text or a
                dictionary is a line of its own.
        """

    def lose(self, count: int) -> None:
        """Note that so many bytes never came this far; lines they belonged to are not kept."""

    def close(self) -> None:
        """Give back what it holds once all before is written; idempotent."""


class Transcripts(Protocol):
    """The transcripts of this daemon's children."""

    def open(self, node_id: NodeId) -> Transcript:
        """Go on with a child's transcript, or begin it; never blocks and never raises."""

    async def read(
        self, node_id: NodeId, after: int | None, limit_bytes: int, before_bytes: int = 0
    ) -> TranscriptPage:
        """Read pieces with greater numbers, oldest first; the newest there are where none is named.

        Nothing where there is no transcript. Scrubs nothing: who shows them needs to see what
        stands before them, which is so many bytes of pieces at the front of the page.
        """
