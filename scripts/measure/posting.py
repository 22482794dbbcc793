"""The tools of a node, listed over HTTP on loopback, beside bare aiohttp on loopback."""

import json
import socket
from typing import Any

from scripts.measure.daemons import QuietDaemon, bare
from scripts.measure.driver import STATUS, Driver, Make, rate
from scripts.measure.table import Row, Scale, compared, in_turns

NEEDED = 0.4
"""Less than of other reads: each list is measured for the ledger, and its headers are looked at."""
CONNECTIONS = 16
ROWS = ("mcp-list",)
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


def measure(scale: Scale) -> list[Row]:
    """Measure the one row."""
    port = free_port()
    with QuietDaemon(more=f"[tcp]\nport = {port}\n") as daemon, daemon.client() as client:
        token = client.call("subsession.open", {"workspace": str(daemon.workspace)})["token"]
        make = poster(port, json.dumps(LIST, separators=(",", ":")).encode(), token)
        other = free_port()
        with bare(daemon.folder, {"tools/list": listed(port, token)}, other):
            found = in_turns(
                scale.rounds,
                ceiling=lambda: rate(other, [make] * CONNECTIONS, scale.round_s),
                ours=lambda: rate(port, [make] * CONNECTIONS, scale.round_s),
            )
    what = f"MCP over HTTP, {CONNECTIONS} connections: tools/list"
    row = Row("mcp-list", what, f"≥ {NEEDED} × bare aiohttp", unit="/s")
    return [compared(row, found, at_least=NEEDED)]


def free_port() -> int:
    """Give a port that nobody has."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def poster(port: int, message: bytes, token: str) -> Make:
    """Send a message over and over, one at a time."""
    head = (
        b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\n"
        b"Accept: application/json, text/event-stream\r\nAuthorization: Bearer %b\r\n"
        b"MCP-Protocol-Version: 2025-06-18\r\nContent-Length: %d\r\n\r\n"
    ) % (port, token.encode(), len(message))
    return lambda: Driver(b"", head + message, 1, STATUS)


def listed(port: int, token: str) -> Any:
    """Give what the daemon answers, so that the ceiling answers the same."""
    message = json.dumps(LIST).encode()
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {token}\r\nConnection: close\r\n"
        f"Content-Length: {len(message)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", port), 20) as sock, sock.makefile("rb") as file:
        sock.sendall(head.encode() + message)
        return json.loads(file.read().partition(b"\r\n\r\n")[2])["result"]
