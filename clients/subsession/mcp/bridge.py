"""Carries an agent's lines to the daemon and its answers back, over every restart of the daemon.

One thread reads the agent, one a connection reads the daemon. Nothing is done while the agent says
nothing: a daemon that went away is looked for when it is needed.
"""

import os
from _thread import LockType, RLock, allocate_lock, start_new_thread
from time import monotonic, sleep

from subsession.errors import SubsessionError
from subsession.mcp.asked import Asked, Key, answered
from subsession.mcp.lines import Lines
from subsession.mcp.link import Link, UnsentError
from subsession.mcp.reach import Reach, RefusedError

CHUNK_BYTES = 64 * 1024
LAST_S = 1.0
"""How long answers may still come once the agent has closed its side."""
TRIES_MOST = 3
"""How often what can be repeated is sent before it counts as lost: a daemon may die of it."""
UNREACHABLE = -32001
MESSAGE_MOST = 2_000
"""Characters of what is said where no daemon comes up; the last lines of its log are in it."""


class Bridge:
    """One agent's session.

    Args:
        reach: makes connections to the daemon.
        asks: descriptor of the agent's words.
        says: descriptor of the answers.
    """

    def __init__(self, reach: Reach, asks: int = 0, says: int = 1) -> None:
        self._reach = reach
        self._asks = asks
        self._says = says
        self._turn = RLock()
        """Held by whoever sends, so that lines keep their order."""
        self._counting = allocate_lock()
        """Held for moments, and never while anything is sent: a daemon that waits for us to read
        reads no more itself."""
        self._speaking = allocate_lock()
        self._over = False
        """Whether the run is over: what still comes is nobody's, and neither is the descriptor."""
        self._link: Link | None = None
        self._heard_out = allocate_lock()
        """Held until all that the newest connection said has been passed on."""
        self._due: list[Asked] = []
        self._handshake: list[Asked] = []
        self._silent: set[str] = set()
        """Ids under which a handshake was said again; the agent hears no answer to these."""

    def run(self) -> None:
        """Carry until the agent has closed its side, or hears no more."""
        lines = Lines()
        while chunk := self._hear():
            for line in lines.feed(chunk):
                self.take(line)
        self.take(lines.end())
        until = monotonic() + LAST_S
        while self._due and monotonic() < until:
            sleep(0.01)
        with self._counting:
            self._due = []  # nobody is there who could be told
        with self._speaking:
            self._over = True

    def take(self, line: bytes) -> None:
        """Take one line of the agent."""
        if not line.strip():
            return
        asked = Asked(line)
        with self._turn:
            self._settle(asked.cancels)
            self._send(asked)
            if asked.is_handshake:
                self._keep(asked)

    def _keep(self, asked: Asked) -> None:
        """Remember what every later daemon is told first."""
        kept = [one for one in self._handshake if one.methods != asked.methods]
        self._handshake = [*kept, asked]

    def _send(self, asked: Asked) -> None:
        """Send a line, or answer it here where that cannot be."""
        try:
            link = self._link or self._connect()
        except RefusedError as refused:
            self._say(asked.refused(refused.error))
            return
        except SubsessionError as fault:
            message = str(fault)[:MESSAGE_MOST]
            self._say(asked.refused({"code": UNREACHABLE, "message": message}))
            return
        if asked.due:
            with self._counting:
                self._due.append(asked)
        asked.tries += 1
        try:
            link.send(asked.line)
        except UnsentError:
            with self._counting:
                self._due = [one for one in self._due if one is not asked]
            self._give_up(link, unheard=asked)
        except OSError:
            self._give_up(link, unheard=None if asked.due else asked)

    def _connect(self) -> Link:
        link = self._reach.link()
        self._link = link
        for asked in self._handshake:
            name = f"bridge-{os.urandom(8).hex()}"
            self._silent.add(name)
            try:
                link.send(asked.renamed(name))
            except OSError:
                break  # the line that comes next meets the same
        self._heard_out = allocate_lock()
        self._heard_out.acquire()
        start_new_thread(self._listen, (link, self._heard_out))
        return link

    def _listen(self, link: Link, heard_out: LockType) -> None:
        """Carry the daemon's words until it is gone."""
        for line in link.lines():
            keys = answered(line)
            self._settle(keys)
            if not self._is_silent(keys):
                self._say(line)
        link.hang_up()  # whoever is sending meanwhile gives up
        heard_out.release()
        with self._turn:
            self._lose(link)

    def _settle(self, keys: set[Key]) -> None:
        """Note that requests are answered, or that nobody wants their answers."""
        with self._counting:
            for asked in self._due:
                asked.due -= keys
            self._due = [asked for asked in self._due if asked.due]

    def _is_silent(self, keys: set[Key]) -> bool:
        """Tell whether a line answers a handshake that the agent knows nothing of."""
        names = {str(key[1]) for key in keys} & self._silent
        self._silent -= names
        return bool(names)

    def _give_up(self, link: Link, unheard: Asked | None) -> None:
        """Lose a connection that nothing can be sent on.

        Why it is heard out first: what it answered before it went may not have been read yet, and
        would be answered twice.
        """
        link.hang_up()
        with self._heard_out:
            pass
        self._lose(link, unheard)

    def _lose(self, link: Link, unheard: Asked | None = None) -> None:
        """Answer what was under way on a connection that is gone, or ask for it again."""
        if self._link is not link:
            return
        self._link = None
        link.close()
        self._silent.clear()
        with self._counting:
            due, self._due = self._due, []
        again = [asked for asked in due if asked.is_repeatable and asked.tries < TRIES_MOST]
        for asked in due:
            if asked not in again:
                self._say(asked.lost())
        for asked in again:
            self._send(asked)
        if unheard is not None and unheard.tries < TRIES_MOST:
            self._send(unheard)
        elif unheard is not None:
            self._say(unheard.lost())

    def _hear(self) -> bytes:
        try:
            return os.read(self._asks, CHUNK_BYTES)
        except OSError:
            return b""  # the agent is gone

    def _say(self, line: bytes) -> None:
        """Write one line to the agent; without one who reads there is nothing left to do."""
        if not line:
            return
        with self._speaking:
            data = b"" if self._over else line + b"\n"
            try:
                while data:
                    data = data[os.write(self._says, data) :]
            except OSError:
                os._exit(0)
