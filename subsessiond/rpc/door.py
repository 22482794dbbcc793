"""Keeps room on the socket for whoever comes, whatever those who came before hold on to.

A process of any child may connect as often as it likes, send half of everything and leave it
there. Descriptors and memory are few, so somebody has to go: who has no call under way, of the
process that holds most; then one of the node that holds most. The person never goes for a child.
"""

import resource
import socket
import struct
import sys
from collections import Counter
from collections.abc import Callable, Hashable
from typing import Any, Final, Protocol

CONNECTIONS_MOST: Final = 4_096

BODIES_MOST_BYTES: Final = 64 * 1024 * 1024
"""What all half-read bodies may hold together: eight of the largest."""

GREEDY_PART: Final = 8
"""Who holds more than this part of all places is flooding: even its calls may be cut."""

SMALL_BYTES: Final = 64 * 1024
"""Who holds less of a half-read body is not worth sending away."""


_MACOS: Final = (0, 2)
"""SOL_LOCAL and LOCAL_PEERPID, from sys/un.h."""


class Line(Protocol):
    """A connection's transport."""

    def abort(self) -> None:
        """Close at once."""

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Give the socket, by that name."""


class Door:
    """All connections of one socket, and what each holds.

    Args:
        most: Connections there may be at once.
        bodies_most_bytes: What half-read bodies may hold together.
        process_of: Tells which process a connection is of.
    """

    def __init__(
        self,
        most: int,
        bodies_most_bytes: int = BODIES_MOST_BYTES,
        process_of: Callable[[Line], object] | None = None,
    ) -> None:
        self._most = most
        self._process_of = process_of or peer_process
        self._bodies_most_bytes = bodies_most_bytes
        self._process: dict[Line, object] = {}
        self._held: Counter[object] = Counter()
        self._idle: dict[object, dict[Line, None]] = {}
        self._busy: dict[Line, Hashable | None] = {}
        self._bodies: dict[Line, int] = {}
        self._bodies_bytes = 0

    def __len__(self) -> int:
        """Count the connections."""
        return len(self._process)

    def comes(self, line: Line) -> None:
        """Let a connection in; when all places are taken, somebody goes."""
        process = self._process_of(line)
        self._process[line] = process
        self._held[process] += 1
        self._rest(line)
        if len(self) > self._most:
            self._send_away(self._dispensable(line))

    def leaves(self, line: Line) -> None:
        """Forget a connection that is closed."""
        if line in self._process:
            self._wake(line)
            self._busy.pop(line, None)
            process = self._process.pop(line)
            self._held[process] -= 1
            if not self._held[process]:
                del self._held[process]
        self.holds_none(line)

    def begins(self, line: Line | None, who: Hashable | None) -> None:
        """Know that a call is under way: of a node, or of none, which is the person's."""
        if line is not None and line in self._process and line not in self._busy:
            self._wake(line)
            self._busy[line] = who

    def ends(self, line: Line | None) -> None:
        """Know that no call is under way any more."""
        if line is not None and line in self._busy:
            del self._busy[line]
            self._rest(line)

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

    def _rest(self, line: Line) -> None:
        self._idle.setdefault(self._process[line], {})[line] = None

    def _wake(self, line: Line) -> None:
        idle = self._idle.get(self._process[line], {})
        idle.pop(line, None)
        if not idle:
            self._idle.pop(self._process[line], None)

    def _dispensable(self, newcomer: Line) -> Line:
        """Choose who goes.

        Why by process: of a flood all that came are let in before any is heard, and whoever else
        came in the midst of it would be the one idle longest.
        """
        process = max(self._idle_processes(newcomer), key=self._held.__getitem__, default=None)
        greediest, held = self._held.most_common(1)[0]
        if held * GREEDY_PART > self._most and held > self._held[process]:
            calls = (line for line in reversed(self._busy) if self._process[line] == greediest)
            call = next((line for line in calls if self._busy[line] is not None), None)
            if call is not None:
                return call
        if process is not None:
            return next(line for line in self._idle[process] if line is not newcomer)
        return self._newest_call() or newcomer

    def _idle_processes(self, newcomer: Line) -> list[object]:
        own = self._process[newcomer]
        alone = len(self._idle[own]) == 1
        return [process for process in self._idle if process != own or not alone]

    def _newest_call(self) -> Line | None:
        """Give the newest call of the node that has most under way; the person has none to give."""
        held = Counter(who for who in self._busy.values() if who is not None)
        if not held:
            return None
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


def peer_process(line: Line) -> object:
    """Tell which process a connection is of, as the kernel says; itself where nobody knows.

    Why not the caller: to find that is work, and this is asked before anything was sent.
    """
    sock = line.get_extra_info("socket")
    if sock is None:
        return line
    try:
        if sys.platform == "linux":
            told = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        else:
            told = sock.getsockopt(*_MACOS, 4)
    except OSError:
        return line
    return int(struct.unpack_from("i", told)[0]) or line
