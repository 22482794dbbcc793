"""One connection to the daemon: some calls over HTTP, and then a pipe that stays open."""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from socket import SHUT_RDWR, SO_SNDTIMEO, SOL_SOCKET
from typing import Any

from subsession.connect import open_socket
from subsession.errors import Unreachable
from subsession.mcp.lines import Lines

CHUNK_BYTES = 64 * 1024
HEAD_MOST_BYTES = 64 * 1024
TIMEVAL_BYTES = 16
CALL_LIMIT_S = 30.0
"""How long the daemon may take for one answer before the pipe: it may be starting."""

PIPE = (
    # Why 1.0 and this length: then the body is all that follows, and so is the answer.
    "POST /pipe HTTP/1.0\r\n"
    "Content-Type: application/octet-stream\r\n"
    "Content-Length: 9007199254740991\r\n"
)
CALL = (
    "POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    "Content-Length: {}\r\n\r\n"
)


class UnsentError(OSError):
    """Nothing of a line was taken: surely nobody has read it."""


class Link:
    """Connects when it is made.

    Args:
        path: the daemon's socket.
        limit_s: how long one step of a call may take.

    Raises:
        Unreachable: nobody listens there, or somebody who is not us.
    """

    def __init__(self, path: Path, limit_s: float = CALL_LIMIT_S) -> None:
        self._path = path
        self._socket = open_socket(path, limit_s)
        self._rest = b""

    def call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Make one call before the pipe is opened; gives the whole answer.

        Raises:
            Unreachable: the daemon went away, or does not speak as one.
        """
        ask = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        body = json.dumps(ask).encode()
        head = self._exchange(CALL.format(len(body)).encode() + body)
        try:
            size = int(_field(head, b"content-length"))
            answer = json.loads(self._receive(size))
        except ValueError as fault:
            raise self._strange(head) from fault
        if not isinstance(answer, dict):
            raise self._strange(head)
        return answer

    def open(self, token: str = "") -> None:
        """Open the pipe.

        Args:
            token: shown to the daemon, where there is one.

        Raises:
            Unreachable: the daemon went away, or knows no pipes.
        """
        shown = f"Authorization: Bearer {token}\r\n" if token else ""
        head = self._exchange(f"{PIPE}{shown}\r\n".encode())
        if head.split(b" ")[1:2] != [b"200"]:
            raise self._strange(head)
        self._socket.settimeout(None)
        # Why: opening it has set one in the kernel, and a daemon may let us wait for longer.
        self._socket.setsockopt(SOL_SOCKET, SO_SNDTIMEO, bytes(TIMEVAL_BYTES))

    def send(self, line: bytes) -> None:
        """Send one line.

        Raises:
            UnsentError: the daemon went away before it got any of it.
            OSError: the daemon went away; it may have got it.
        """
        data = memoryview(line + b"\n")
        whole = len(data)
        try:
            while data:
                data = data[self._socket.send(data) :]
        except OSError as fault:
            if len(data) == whole:
                raise UnsentError(fault.errno, fault.strerror) from fault
            raise

    def lines(self) -> Iterator[bytes]:
        """Give the daemon's lines until it is gone; the piece of a last one is nobody's."""
        lines = Lines(most_bytes=1 << 62)
        yield from lines.feed(self._rest)
        try:
            while chunk := self._socket.recv(CHUNK_BYTES):
                yield from lines.feed(chunk)
        except OSError:
            return  # gone, which is how every pipe ends

    def hang_up(self) -> None:
        """End both ways: whoever sends or waits for a line sees it at once."""
        with suppress(OSError):  # the daemon has hung up already
            self._socket.shutdown(SHUT_RDWR)

    def close(self) -> None:
        """Hang up and give the descriptor back."""
        self.hang_up()
        self._socket.close()

    def _exchange(self, request: bytes) -> bytes:
        """Send a request and give the head of its answer."""
        try:
            self._socket.sendall(request)
        except OSError as fault:
            raise self._gone(fault) from fault
        while b"\r\n\r\n" not in self._rest and len(self._rest) < HEAD_MOST_BYTES:
            self._rest += self._more()
        head, _, self._rest = self._rest.partition(b"\r\n\r\n")
        return head

    def _receive(self, size: int) -> bytes:
        while len(self._rest) < size:
            self._rest += self._more()
        body, self._rest = self._rest[:size], self._rest[size:]
        return body

    def _more(self) -> bytes:
        try:
            chunk = self._socket.recv(CHUNK_BYTES)
        except OSError as fault:
            raise self._gone(fault) from fault
        if not chunk:
            raise Unreachable("it hung up", str(self._path))
        return chunk

    def _gone(self, fault: OSError) -> Unreachable:
        return Unreachable(fault.strerror or str(fault), str(self._path))

    def _strange(self, head: bytes) -> Unreachable:
        status = head.partition(b"\r\n")[0][:80].decode("ascii", "replace")
        return Unreachable(f"it answered {status}", str(self._path))


def _field(head: bytes, name: bytes) -> bytes:
    """Give a field of a head.

    Raises:
        ValueError: it has none of this name.
    """
    for row in head.split(b"\r\n")[1:]:
        key, _, value = row.partition(b":")
        if key.strip().lower() == name:
            return value.strip()
    raise ValueError(name)
