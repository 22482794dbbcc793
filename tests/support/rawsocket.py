"""Bytes to the daemon's socket and back, with nothing in between that would mend or refuse them."""

import json
import socket
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
