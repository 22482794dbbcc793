"""Bytes to the daemon's port of loopback and back, with nothing in between that would mend them."""

import json
import secrets
import socket
from collections.abc import Mapping
from typing import Any, NamedTuple, Self

ANSWER_S = 20.0
VERSION = "2025-06-18"
NEW = "2026-07-28"
META = "io.modelcontextprotocol"


def free_port() -> int:
    """Give a port that nobody has, of those that no system gives to whoever connects.

    Why not by `random`: tests seed it alike in every process, and all would choose the same one.
    """
    while True:
        port = 20_000 + secrets.randbelow(10_000)
        with socket.socket() as sock:
            try:
                sock.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


class Reply(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    """By lower-case names."""
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def events(self) -> list[Any]:
        """The messages of a stream."""
        blocks = (block for block in self.body.decode().split("\n\n") if block)
        return [json.loads(block.partition("data: ")[2]) for block in blocks]


class Wire:
    """One connection, kept open from request to request."""

    def __init__(self, port: int, host: str = "127.0.0.1") -> None:
        self.port = port
        self._sock = socket.create_connection((host, port), ANSWER_S)
        self._file = self._sock.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Hang up."""
        self._file.close()
        self._sock.close()

    def send(self, raw: bytes) -> None:
        """Send bytes."""
        self._sock.sendall(raw)

    def ask(
        self,
        body: bytes | None = b"",
        headers: Mapping[str, str | list[str] | None] | None = None,
        *,
        method: str = "POST",
        target: str = "/mcp",
    ) -> Reply:
        """Make one request and read its answer.

        Args:
            body: Its body; none where the headers say of themselves how long it is.
            headers: More, and instead of those that a good request has; none leaves one out.
            method: Of HTTP.
            target: What is asked for.
        """
        good: dict[str, str | list[str] | None] = {
            "Host": f"127.0.0.1:{self.port}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        if body is not None:
            good["Content-Length"] = str(len(body))
        lines = [f"{method} {target} HTTP/1.1"]
        for name, value in (good | dict(headers or {})).items():
            values = value if isinstance(value, list) else [value]
            lines += [f"{name}: {one}" for one in values if one is not None]
        self.send("\r\n".join(lines).encode("utf-8", "surrogateescape") + b"\r\n\r\n")
        if body:
            self.send(body)
        return self.read(has_body=method != "HEAD")

    def read(self, *, has_body: bool = True) -> Reply:
        """Read one answer, whole."""
        line = self._file.readline()
        assert line.startswith(b"HTTP/1."), line
        headers: dict[str, str] = {}
        while head := self._file.readline().strip():
            name, _, value = head.decode().partition(":")
            headers[name.lower()] = value.strip()
        if headers.get("transfer-encoding") == "chunked":
            return Reply(int(line.split()[1]), headers, b"".join(self._chunks()))
        length = int(headers.get("content-length", "0")) if has_body else 0
        return Reply(int(line.split()[1]), headers, self._file.read(length))

    def is_closed(self) -> bool:
        """Tell whether the other end hangs up, having said nothing more."""
        try:
            return self._file.read(1) == b""
        except ConnectionError:
            return True

    def _chunks(self) -> list[bytes]:
        chunks = []
        while size := int(self._file.readline(), 16):
            chunks.append(self._file.read(size))
            self._file.readline()
        self._file.readline()
        return chunks


def call(method: str, call_id: Any = 1, /, **params: Any) -> bytes:
    """Write a request."""
    message = {"jsonrpc": "2.0", "id": call_id, "method": method, "params": params}
    return json.dumps(message).encode()


def tool(name: str, call_id: Any = 1, /, **arguments: Any) -> bytes:
    """Write the call of a tool."""
    return call("tools/call", call_id, name=name, arguments=arguments)


def bearer(token: str) -> dict[str, str]:
    """Give the header of a token."""
    return {"Authorization": f"Bearer {token}"}


def new_call(method: str, call_id: Any = 1, /, **params: Any) -> bytes:
    """Write a request of the version without a handshake."""
    meta = {f"{META}/protocolVersion": NEW, f"{META}/clientCapabilities": {}}
    return call(method, call_id, **params, _meta=meta | params.pop("_meta", {}))


def new_headers(method: str, name: str | None = None) -> dict[str, Any]:
    """Give the headers that such a request repeats itself in."""
    return {"MCP-Protocol-Version": NEW, "Mcp-Method": method, "Mcp-Name": name}
