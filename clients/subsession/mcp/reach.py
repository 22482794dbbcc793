"""Finds the daemon, starts one where none runs, and opens the root on the way.

All of it is bounded: whoever asked gets an answer, and the next one tries again.
"""

import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from subsession.connect import Place
from subsession.errors import StartFailed, SubsessionError, Unreachable
from subsession.mcp.link import Link

LIMIT_S = 25.0
"""How long a daemon may be waited for: one that stops takes half of it before another can start,
and public agents give a server half a minute to say its first word."""
PAUSES_S = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
HELD = "another daemon"
"""Stands in what a daemon says last that found its state directory taken."""
AGAIN_S = 1.0
"""How soon what was refused is tried again: the folder may be there by then."""

Json = dict[str, Any]


class RefusedError(Exception):
    """The daemon refused the root.

    Args:
        error: as the daemon said it.
    """

    def __init__(self, error: Json) -> None:
        super().__init__(error)
        self.error = error


class Reach:
    """Makes links to the daemon, each with the root open.

    Args:
        place: where the daemon is.
        opens: parameters of `subsession.open`.
        environ: tells whether this process belongs to a node, which starts no daemon.
    """

    def __init__(self, place: Place, opens: Json, environ: Mapping[str, str] = os.environ) -> None:
        self._place = place
        self._opens = opens
        self._may_start = not any(
            environ.get(name) for name in ("SUBSESSION_TOKEN", "SUBSESSION_NODE")
        )
        self._refused: tuple[float, Json] | None = None

    def link(self) -> Link:
        """Connect and open the root and the pipe.

        Raises:
            RefusedError: the daemon refused the root.
            SubsessionError: there is no daemon, and none could be started in time.
        """
        if self._refused and time.monotonic() - self._refused[0] < AGAIN_S:
            raise RefusedError(self._refused[1])
        try:
            return self._persist(self._link)
        except RefusedError as refused:
            self._refused = (time.monotonic(), refused.error)
            raise

    def _persist(self, connect: Callable[[], Link]) -> Link:
        until, pauses = time.monotonic() + LIMIT_S, list(PAUSES_S)
        while True:
            try:
                return connect()
            except (Unreachable, StartFailed) as fault:
                pause = pauses.pop(0) if len(pauses) > 1 else pauses[0]
                if not self._may_start or time.monotonic() + pause > until:
                    raise
                if isinstance(fault, StartFailed) and not _is_held(fault):
                    raise  # such as a word in its settings, which the next start finds again
                time.sleep(pause)

    def _link(self) -> Link:
        link = self._connected()
        try:
            link.open(self._open(link))
        except (RefusedError, SubsessionError):
            link.close()
            raise
        return link

    def _open(self, link: Link) -> str:
        """Open the root; a child's process opens none, and is served as the child it is.

        Returns:
            The token that has to be shown where the daemon cannot know this process; else nothing.

        Raises:
            RefusedError: the daemon has none for this process.
        """
        who = link.call("daemon.caller", {})
        if who.get("result", {}).get("kind") == "child":
            return ""
        answer = link.call("subsession.open", self._opens)
        if "result" not in answer:
            raise RefusedError(answer.get("error", {}))
        return "" if sys.platform == "linux" else str(answer["result"]["token"])

    def _connected(self) -> Link:
        """Connect to the daemon that listens, or to one that is started for it."""
        for path in self._place.sockets:
            try:
                return Link(path)
            except Unreachable as fault:
                last = fault
        if not self._may_start:
            raise last
        from subsession.start import start_daemon

        return Link(start_daemon(self._place))


def _is_held(fault: StartFailed) -> bool:
    """Tell whether a daemon ended because another one is there, which is about to end."""
    return any(HELD in line for line in fault.lines)
