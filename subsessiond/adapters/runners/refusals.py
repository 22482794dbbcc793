"""What one child was refused, until it has been told that it may report itself blocked."""

from typing import Final

from subsessiond.core.permit import Refusal

KEPT_MOST: Final = 8
"""Refusals told of in one turn; more of them say nothing new."""


class Refusals:
    """Collects refusals of a turn."""

    def __init__(self) -> None:
        self._new: dict[str, Refusal] = {}

    def add(self, refusal: Refusal) -> None:
        """Remember one; the same again counts once."""
        if len(self._new) < KEPT_MOST:
            self._new.setdefault(refusal.blocker, refusal)

    def take(self) -> tuple[Refusal, ...]:
        """Give all since the last time, and forget them."""
        taken = tuple(self._new.values())
        self._new.clear()
        return taken
