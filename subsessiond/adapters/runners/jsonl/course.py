"""What a run has come to, as far as its lines have said. Pure but for its memory, which is bounded.

Nothing that stands after the closing event counts.
"""

from typing import Final

from subsessiond.adapters.runners.jsonl.reading import Closing, Reading
from subsessiond.core.bounds import cut_bytes, size_bytes
from subsessiond.model.base import Value
from subsessiond.model.node import Phase

WORDS_BYTES: Final = 64 * 1024
"""Of an agent's last words; the longest report that any contract allows has 24,000 bytes."""

FAILURE_BYTES: Final = 64 * 1024
"""Of an error's words: whole, so far as anybody writes them, because secrets are taken out of them
before they are cut to what is shown.
"""

CALLS_MOST: Final = 1_000
"""Calls that are open at once and told apart; more are one call that never ends."""


class Spoken(Value, frozen=True, kw_only=True):
    """An agent's last words."""

    text: str = ""
    """What was kept of them: all, or nothing where they are more than `WORDS_BYTES`."""
    bytes_said: int = 0


class Course:
    """Remembers what the lines of one run said.

    Args:
        in_pieces: whether words that follow one another are pieces of one text.
    """

    def __init__(self, *, in_pieces: bool = False) -> None:
        self._in_pieces = in_pieces
        self._pieces: list[str] = []
        self._bytes_said = 0
        self._speaking = False
        self._calls: dict[str, int] = {}
        self.closing: Closing | None = None
        self.failure = ""
        """Words of the last error that was told."""
        self.turn_ended = False
        self.phase = Phase.WORKING

    def take(self, reading: Reading) -> str:
        """Take in what a line says; gives our word for the sign of life it is, or nothing."""
        if self.closing is not None or reading == Reading():
            return ""
        if reading.failure is not None:
            self.failure = cut_bytes(reading.failure or "an error without words", FAILURE_BYTES)
        self._take_words(reading.words)
        self._take_calls(reading)
        self.turn_ended = reading.turn_end
        self.closing = reading.closing
        self.phase = self._phase(reading)
        return _sign(reading)

    @property
    def spoken(self) -> Spoken:
        """The agent's last words."""
        whole = self._bytes_said <= WORDS_BYTES
        text = "".join(self._pieces) if whole else ""
        return Spoken(text=text, bytes_said=self._bytes_said)

    def _take_words(self, words: tuple[str, ...]) -> None:
        if words and not (self._in_pieces and self._speaking):
            self._pieces, self._bytes_said = [], 0
        self._speaking = bool(words)
        for piece in words:
            self._bytes_said += size_bytes(piece)
            if self._bytes_said <= WORDS_BYTES:
                self._pieces.append(piece)

    def _take_calls(self, reading: Reading) -> None:
        for call in reading.tools_started:
            if call in self._calls or len(self._calls) < CALLS_MOST:
                # Why counted only without an id: some agents tell of one call twice.
                self._calls[call] = 1 if call else self._calls.get(call, 0) + 1
        for call in reading.tools_ended:
            left = self._calls.pop(call, 0) - 1
            if left > 0:
                self._calls[call] = left

    def _phase(self, reading: Reading) -> Phase:
        if reading.rate_limited:
            return Phase.RATE_LIMITED
        return Phase.IN_TOOL if self._calls else Phase.WORKING


def _sign(reading: Reading) -> str:
    """Name what a line was, by the most telling thing in it."""
    signs = (
        ("closing-event", reading.closing is not None),
        ("error", reading.failure is not None),
        ("rate-limited", reading.rate_limited),
        ("tool-start", bool(reading.tools_started)),
        ("tool-end", bool(reading.tools_ended)),
        ("turn-end", reading.turn_end),
        ("words", bool(reading.words)),
        ("session", bool(reading.session)),
    )
    return next((word for word, is_so in signs if is_so), "usage")
