"""Bytes to the daemon's socket and back, with nothing in between that would mend or refuse them."""

import base64
import json
import os
import socket
import struct
from pathlib import Path
from typing import Any, NamedTuple, Self

ANSWER_S = 20.0


class Reply(NamedTuple):
    """What came back over HTTP."""

    status: int
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON; None when it is empty."""
        return json.loads(self.body) if self.body else None


class RawSocket:
    """One connection, kept open from call to call."""

    def __init__(self, path: Path, token: str = "") -> None:
        self._token = token
        self._sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._sock.settimeout(ANSWER_S)
        self._sock.connect(str(path))
        self._file = self._sock.makefile("rb")
        self._calls = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Hang up."""
        self._file.close()
        self._sock.close()

    def post(self, body: bytes, **headers: str) -> Reply:
        """Send a body to `/rpc` and read the answer."""
        self.send(body, **headers)
        return self.read()

    def send(self, body: bytes, **headers: str) -> None:
        """Send a body to `/rpc`; nothing is read."""
        named = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        if self._token:
            named["Authorization"] = f"Bearer {self._token}"
        named |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = "".join(f"{name}: {value}\r\n" for name, value in named.items())
        self._sock.sendall(f"POST /rpc HTTP/1.1\r\nHost: daemon\r\n{lines}\r\n".encode() + body)

    def read(self) -> Reply:
        """Read one answer."""
        status = int(self._file.readline().split()[1])
        length = 0
        while line := self._file.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return Reply(status, self._file.read(length))

    def call(self, method: str, /, **params: Any) -> Reply:
        """Call one method by name; gives the answer as it came."""
        self._calls += 1
        call = {"jsonrpc": "2.0", "id": self._calls, "method": method, "params": params}
        return self.post(json.dumps(call, ensure_ascii=False).encode())

    def result(self, method: str, /, **params: Any) -> Any:
        """Call one method that is to succeed; gives its result."""
        answer = self.call(method, **params).json
        assert "result" in answer, answer
        return answer["result"]

    def error(self, method: str, /, **params: Any) -> Any:
        """Call one method that is to fail; gives its error object."""
        answer = self.call(method, **params).json
        assert "error" in answer, answer
        return answer["error"]


class Stream:
    """One WebSocket, read by hand: what comes is what the daemon sent."""

    def __init__(self, path: Path, token: str = "") -> None:
        self._sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._sock.settimeout(ANSWER_S)
        self._sock.connect(str(path))
        self._file = self._sock.makefile("rb")
        self._calls = 0
        self.notes: list[dict[str, Any]] = []
        """Notifications read so far: the parameters of each `events.event`."""
        key = base64.b64encode(os.urandom(16)).decode()
        lines = ["GET /ws HTTP/1.1", "Host: daemon", "Upgrade: websocket", "Connection: Upgrade"]
        lines += [f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13"]
        lines += [f"Authorization: Bearer {token}"] if token else []
        self._sock.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        status = self._file.readline()
        assert b" 101 " in status, status
        while self._file.readline().strip():
            continue

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Hang up without a goodbye."""
        self._file.close()
        self._sock.close()

    def send(self, text: bytes) -> None:
        """Send one text frame. Source: RFC 6455 §5.2; the mask of zeros changes nothing."""
        size = len(text)
        if size < 126:
            head = struct.pack("!BB", 0x81, 0x80 | size)
        elif size < 1 << 16:
            head = struct.pack("!BBH", 0x81, 0x80 | 126, size)
        else:
            head = struct.pack("!BBQ", 0x81, 0x80 | 127, size)
        self._sock.sendall(head + bytes(4) + text)

    def receive(self) -> bytes:
        """Read one text frame; pings and pongs between are passed over."""
        while True:
            first, second = self._file.read(2)
            size = second & 0x7F
            if size == 126:
                (size,) = struct.unpack("!H", self._file.read(2))
            elif size == 127:
                (size,) = struct.unpack("!Q", self._file.read(8))
            data: bytes = self._file.read(size)
            if first & 0x0F == 1:
                return data
            assert first & 0x0F in (9, 10), f"the stream ended: {data!r}"

    def result(self, method: str, /, **params: Any) -> Any:
        """Call one method and give its result; notifications read meanwhile are kept."""
        self._calls += 1
        call = {"jsonrpc": "2.0", "id": self._calls, "method": method, "params": params}
        self.send(json.dumps(call).encode())
        while True:
            message = json.loads(self.receive())
            if message.get("id") == self._calls:
                assert "result" in message, message
                return message["result"]
            self.notes.append(message["params"])

    def wait(self, wanted: str, node: str) -> dict[str, Any]:
        """Read until a node is told to have met an event; gives the note."""
        for note in self.notes:
            if (note["type"], note["node"]) == (wanted, node):
                return note
        while True:
            message = json.loads(self.receive())
            self.notes.append(message["params"])
            if (message["params"]["type"], message["params"]["node"]) == (wanted, node):
                return self.notes[-1]

    def about(self, wanted: str, node: str) -> list[dict[str, Any]]:
        """Give the notes of one kind about a node, of those read so far."""
        return [n for n in self.notes if (n["type"], n["node"]) == (wanted, node)]
