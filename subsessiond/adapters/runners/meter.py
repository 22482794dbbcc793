"""Makes running totals out of whatever an agent says it used: each message once, sums never twice.

Agents repeat themselves: one message on several lines with the same figures, a closing summary
with everything again, old messages once more after a resume. What cannot be a figure is left out,
and where nothing was read there is no total, which is not a total of 0.
"""

from collections.abc import Mapping
from typing import Any, Final

from subsessiond.core.tally import exchanged, most, sound
from subsessiond.model.usage import Usage

MESSAGES_MOST: Final = 65_536
"""Messages told apart; those before are added up for good. No session has come near as many."""

NAME_LONGEST: Final = 256
"""Of a message's name. A longer one names nothing, and its figures are not read."""


class Meter:
    """The figures of one child's run."""

    def __init__(self) -> None:
        self._messages: dict[str, Usage] = {}
        self._sum: Usage | None = None
        self._running: Usage | None = None
        self._summary: Usage | None = None
        self.lowered = 0
        """Running totals that were lower than before: a counter begun anew, or a reading of old."""
        self.unlike = 0
        """Summaries that said something else than the messages before them."""

    def message(self, name: str, usage: Usage) -> None:
        """Read the figures of one message; what is read of it later takes the place of this."""
        figures = sound(usage)
        if figures is None or not name or len(name) > NAME_LONGEST:
            return
        if name not in self._messages and len(self._messages) >= MESSAGES_MOST:
            del self._messages[next(iter(self._messages))]
        self._sum = exchanged(self._sum, self._messages.get(name), figures)
        self._messages[name] = figures

    def cumulative(self, usage: Usage) -> None:
        """Read a running total; one that is lower than before changes nothing."""
        figures = sound(usage)
        if figures is None:
            return
        before, self._running = self._running, most(self._running, figures)
        if before is not None and most(before, figures) != figures:
            self.lowered += 1

    def summary(self, usage: Usage) -> None:
        """Hold a closing total against what was read; it counts only where nothing else was."""
        figures = sound(usage)
        if figures is None:
            return
        read = self._read()
        if read is not None and read != figures:
            self.unlike += 1
        self._summary = most(self._summary, figures)

    def total(self) -> Usage | None:
        """Give the totals so far; none where nothing was read."""
        read = self._read()
        return self._summary if read is None else read

    def _read(self) -> Usage | None:
        """Add up the messages; beside running totals the greater of the two is right."""
        return most(self._sum, self._running)


def usage_of(raw: object, names: Mapping[str, str]) -> Usage:
    """Read the figures of an agent's own words; what is no count of tokens is left out.

    Args:
        raw: What it sent; anything.
        names: Figure (`input`, `cache_read`, `cache_write`, `output`) to the agent's word for it.
    """
    found: Mapping[Any, Any] = raw if isinstance(raw, Mapping) else {}
    return Usage(**{figure: _count(found.get(word)) for figure, word in names.items()})


def _count(value: object) -> int | None:
    """Give a whole number; a truth value, a text or a fraction is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if value == value // 1 else None
