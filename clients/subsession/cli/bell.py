"""The terminal's bell, for who looks elsewhere meanwhile."""

from collections.abc import Iterable

from subsession.cli.voice import Voice
from subsession.verbs import Json


class Bell:
    """Rings once whenever something more waits for the person.

    Args:
        voice: whose terminal it is; where there is none, nothing rings.
        wanted: whether it was asked for.
    """

    def __init__(self, voice: Voice, *, wanted: bool) -> None:
        self._voice = voice
        self._wanted = wanted
        self._known: frozenset[str] | None = None

    def look(self, rows: Iterable[Json]) -> None:
        """Look at the tree; what waits already at the first look is seen and needs no bell."""
        waits = frozenset(str(row["nodeId"]) for row in rows if is_waiting(row))
        if self._known is not None and waits - self._known:
            self.ring()
        self._known = waits

    def ring(self) -> None:
        """Ring, where it was asked for and somebody may hear it."""
        if self._wanted:
            self._voice.ring()


def is_waiting(row: Json) -> bool:
    """Tell whether a node stands in the queue of what waits for a person."""
    names = ("blocked", "leftovers", "awaitsAttach")
    return any(row.get(name) for name in names) or has_mail(row)


def has_mail(row: Json) -> bool:
    """Tell whether a node left mail that nobody but the person will read."""
    return bool(row.get("unread")) and not row.get("dismissed")
