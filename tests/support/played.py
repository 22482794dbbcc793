"""A bridge between an agent and daemons that a test plays."""

import json
import os
import queue
import threading
from collections.abc import Iterator
from typing import Any

from subsession.mcp.bridge import Bridge
from subsession.mcp.link import Link, UnsentError
from subsession.mcp.reach import Reach

WITHIN_S = 20.0
END = b""


class Played(Link):
    """A connection whose other end is a test."""

    def __init__(self) -> None:
        self.got: queue.Queue[bytes] = queue.Queue()
        self.says: queue.Queue[bytes] = queue.Queue()
        self.gone = False
        self.is_torn = False

    def send(self, line: bytes) -> None:
        """Take a line, or a piece of it, or nothing any more."""
        if self.is_torn:
            raise BrokenPipeError
        if self.gone:
            raise UnsentError
        self.got.put(line)

    def lines(self) -> Iterator[bytes]:
        """Give what the test says."""
        while line := self.says.get(timeout=WITHIN_S):
            yield line

    def hang_up(self) -> None:
        """Be gone, once what was said is heard."""
        self.die()

    def close(self) -> None:
        """Be gone."""
        self.gone = True

    def read(self) -> Any:
        """Give the next line that came."""
        return json.loads(self.got.get(timeout=WITHIN_S))

    def answer(self, call_id: Any, **result: Any) -> None:
        """Answer a request."""
        self.say({"jsonrpc": "2.0", "id": call_id, "result": result})

    def say(self, message: Any) -> None:
        """Say something."""
        self.says.put(json.dumps(message).encode())

    def die(self) -> None:
        """Be gone, and let it be seen."""
        self.gone = True
        self.says.put(END)


class Stage(Reach):
    """Gives connections in order, or what keeps it from that."""

    def __init__(self, *links: Link | Exception) -> None:
        self.left = list(links)

    def link(self) -> Link:
        """Give the next one."""
        found = self.left.pop(0)
        if isinstance(found, Exception):
            raise found
        return found


class Agent:
    """The agent's side: it writes lines and reads answers."""

    def __init__(self, *links: Link | Exception) -> None:
        self.stage = Stage(*links)
        theirs, self.asks = os.pipe()
        self._says, said = os.pipe()
        self._theirs = (theirs, said)
        self._lines = os.fdopen(self._says, "rb")
        self._thread = threading.Thread(target=Bridge(self.stage, theirs, said).run)
        self._thread.start()

    def say(self, message: Any) -> None:
        """Write one message."""
        os.write(self.asks, json.dumps(message).encode() + b"\n")

    def ask(self, call_id: Any, method: str = "tools/call", **params: Any) -> None:
        """Make a request."""
        self.say({"jsonrpc": "2.0", "id": call_id, "method": method, "params": params})

    def hear(self) -> Any:
        """Read the next line."""
        return json.loads(self._lines.readline())

    def leave(self) -> list[Any]:
        """Close its side; gives what was said until the bridge ended."""
        os.close(self.asks)
        self._thread.join(WITHIN_S)
        assert not self._thread.is_alive()
        for fd in self._theirs:
            os.close(fd)
        with self._lines:
            return [json.loads(line) for line in self._lines]


class Slow(Played):
    """A connection that is read late."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = threading.Event()

    def lines(self) -> Iterator[bytes]:
        """Give what the test says once it may be heard."""
        assert self.go_on.wait(WITHIN_S)
        yield from super().lines()
