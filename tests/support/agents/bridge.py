"""Stands for an MCP bridge: under the name `subsession` it makes the calls that it reads as lines.

subsession mcp SOCKET: each line of JSON on standard input is one call; its answer is one line of
standard output. `fresh` makes it on a new connection, otherwise one connection is kept. It ends
with its input. A line without a method asks for the number of this process.
"""

import http.client
import json
import os
import socket
import sys
from typing import Any


class Connection(http.client.HTTPConnection):
    """HTTP over a unix socket."""

    def connect(self) -> None:
        """Open the socket."""
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(sys.argv[-1])


def answer(kept: Connection, ask: dict[str, Any]) -> Any:
    """Make one call and give what was answered."""
    if ask.pop("fresh", False):
        kept.close()
    kept.request("POST", "/rpc", json.dumps(ask), {"Content-Type": "application/json"})
    said: Any = json.loads(kept.getresponse().read())
    return said


def serve() -> None:
    """Answer lines until there are no more."""
    kept = Connection("localhost")
    for line in sys.stdin:
        ask = json.loads(line)
        said = answer(kept, ask) if "method" in ask else {"result": os.getpid()}
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
