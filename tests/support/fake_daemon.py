"""A stand-in for the daemon: answers on a unix socket what a test laid down, method by method.

For tests of clients alone; the real daemon is used everywhere else. It knows the outside of the
contract (HTTP, JSON-RPC, the shape of errors) and nothing of trees.
"""

import json
import socketserver
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

Json = dict[str, Any]
Answer = Json | Callable[[Json], Json]

INFO: Json = {
    "name": "subsessiond",
    "version": "0.1.0",
    "protocolVersion": 1,
    "pid": 1,
    "startedAt": 0,
    "socket": "/run/daemon.sock",
    "stateDir": "/state",
    "containers": "pidns",
}


class Refuse(Exception):
    """An answer that refuses, with the error object of the wire."""

    def __init__(self, number: int, message: str, **data: object) -> None:
        super().__init__(message)
        self.error = {"code": number, "message": message, "data": data}


class HangUp(Exception):
    """The connection breaks in the middle of the answer."""


class FakeDaemon(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    """Serves until closed.

    Args:
        path: of the socket.
        answers: result by method, or what makes it from the parameters.
    """

    block_on_close = True
    request_queue_size = 128

    def __init__(self, path: Path, answers: Mapping[str, Answer]) -> None:
        super().__init__(str(path), Conversation)
        self.path = path
        self.answers: dict[str, Answer] = {"daemon.info": INFO, **answers}
        self.calls: list[tuple[str, Json]] = []
        self.tokens: list[str | None] = []
        self.on_line: Callable[[bytes], bytes] = lambda line: line
        """Answers a line of a pipe; at first with itself."""

    def reply(self, method: str, params: Json) -> Json:
        """Give the outside of a reply."""
        self.calls.append((method, params))
        answer = self.answers.get(method)
        try:
            if answer is None:
                return {"error": {"code": -32601, "message": "method not found"}}
            return {"result": answer(params) if callable(answer) else answer}
        except Refuse as refusal:
            return {"error": refusal.error}

    def params_of(self, method: str) -> Json:
        """Give the parameters of the last call of a method."""
        return [params for name, params in self.calls if name == method][-1]


class Conversation(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server: FakeDaemon

    def do_POST(self) -> None:
        """Answer one call, or begin a pipe."""
        if self.path == "/pipe":
            self._serve_pipe()
            return
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.tokens.append(self.headers.get("Authorization"))
        assert self.headers["Content-Type"] == "application/json"
        try:
            reply = self.server.reply(body["method"], body["params"])
        except HangUp:
            self.close_connection = True
            return
        raw = json.dumps({"jsonrpc": "2.0", "id": body["id"], **reply}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def _serve_pipe(self) -> None:
        """Answer lines until either side hangs up."""
        self.close_connection = True
        self.server.tokens.append(self.headers.get("Authorization"))
        self.wfile.write(b"HTTP/1.0 200 OK\r\n\r\n")
        with suppress(HangUp):
            for line in self.rfile:
                self.wfile.write(self.server.on_line(line))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the base's name
        """Say nothing."""

    def address_string(self) -> str:
        """A unix peer has no address."""
        return "peer"


@contextmanager
def fake_daemon(path: Path, answers: Mapping[str, Answer] | None = None) -> Iterator[FakeDaemon]:
    """Serve answers on a socket for the length of a block."""
    with FakeDaemon(path, answers or {}) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
            path.unlink(missing_ok=True)
