"""A tree that is redrawn in place, on a terminal."""

from collections.abc import Iterable
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from subsession.cli.picture import Picture, summary
from subsession.cli.voice import Voice
from subsession.text import cut
from subsession.verbs import Json


class Screen:
    """Shows one picture after the other at the same place.

    Args:
        voice: whose terminal it is.
    """

    def __init__(self, voice: Voice) -> None:
        self._voice = voice
        self._picture = Picture(voice)
        # Why no automatic refresh: what changes is told, and a thread less is a fault less.
        self._live = Live(
            console=Console(highlight=False, markup=False, emoji=False),
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._live.stop()

    def show(self, rows: Iterable[Json], now_ms: float, stale: str = "") -> None:
        """Draw the tree; `stale` says why it may not be current."""
        known = list(rows)
        lines = self._picture.lines(known, now_ms)
        room = self._voice.rows - 3
        if len(lines) > room:  # the newest trees are the last
            above = f"… {len(lines) - room} more above; `subsession tree` prints all"
            lines = [lines[0], above, *lines[2 - room :]]
        lines.append(summary(known, self._voice))
        if stale:
            lines[-1] = self._voice.style("red", cut("not current: " + stale, self._voice.columns))
        text = Text.from_ansi("\n".join(lines), no_wrap=True, overflow="crop")
        self._live.update(text, refresh=True)
