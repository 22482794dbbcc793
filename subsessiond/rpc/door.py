"""Keeps room on the socket for whoever comes, whatever those who came before hold on to.

A process of any child may connect as often as it likes, send half of everything and leave it
there. Descriptors and memory are few, so somebody has to go: first who has no call under way, the
oldest of them; then one of the node that holds most. The person never goes for a child.
"""

import resource
from collections import Counter
from collections.abc import Hashable
from typing import Final, Protocol

CONNECTIONS_MOST: Final = 4_096

BODIES_MOST_BYTES: Final = 64 * 1024 * 1024
"""What all half-read bodies may hold together: eight of the largest."""

SMALL_BYTES: Final = 64 * 1024
"""Who holds less of a half-read body is not worth sending away."""


class Line(Protocol):
    """A connection's transport."""

    def abort(self) -> None:
        """Close at once."""


class Door:
    """All connections of one socket, and what each holds.

    Args:
        most: Connections there may be at once.
        bodies_most_bytes: What half-read bodies may hold together.
    """

    def __init__(self, most: int, bodies_most_bytes: int = BODIES_MOST_BYTES) -> None:
        self._most = most
        self._bodies_most_bytes = bodies_most_bytes
        self._idle: dict[Line, None] = {}
        self._busy: dict[Line, Hashable | None] = {}
        self._bodies: dict[Line, int] = {}
        self._bodies_bytes = 0

    def __len__(self) -> int:
        """Count the connections."""
        return len(self._idle) + len(self._busy)

    def comes(self, line: Line) -> None:
        """Let a connection in; when all places are taken, somebody goes."""
        self._idle[line] = None
        if len(self) > self._most:
            self._send_away(self._dispensable(line))

    def leaves(self, line: Line) -> None:
        """Forget a connection that is closed."""
        self._idle.pop(line, None)
        self._busy.pop(line, None)
        self.holds_none(line)

    def begins(self, line: Line | None, who: Hashable | None) -> None:
        """Know that a call is under way: of a node, or of none, which is the person's."""
        if line is not None and line in self._idle:
            del self._idle[line]
            self._busy[line] = who

    def ends(self, line: Line | None) -> None:
        """Know that no call is under way any more."""
        if line is not None and line in self._busy:
            del self._busy[line]
            self._idle[line] = None

    def holds(self, line: Line, size_bytes: int) -> None:
        """Know how much of a body that is not whole yet is kept for a connection."""
        self._bodies_bytes += size_bytes - self._bodies.get(line, 0)
        self._bodies[line] = size_bytes
        while self._bodies_bytes > self._bodies_most_bytes:
            large = (one for one, size in self._bodies.items() if size > SMALL_BYTES)
            self._send_away(next((one for one in large if one is not line), line))

    def holds_none(self, line: Line) -> None:
        """Know that a body has come, or will not."""
        self._bodies_bytes -= self._bodies.pop(line, 0)

    def _dispensable(self, newcomer: Line) -> Line:
        idle = next((line for line in self._idle if line is not newcomer), None)
        if idle is not None:
            return idle
        held = Counter(who for who in self._busy.values() if who is not None)
        if not held:
            return newcomer
        greediest = held.most_common(1)[0][0]
        return next(line for line, who in reversed(self._busy.items()) if who == greediest)

    def _send_away(self, line: Line) -> None:
        self.leaves(line)
        line.abort()


def connections_most() -> int:
    """Tell how many connections there may be: half of what this process may open.

    Why half: the other half is for children, journals and the store.
    """
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = soft == resource.RLIM_INFINITY
    return CONNECTIONS_MOST if unlimited else min(CONNECTIONS_MOST, soft // 2)
