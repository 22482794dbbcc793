"""Reads through the real daemon, its caller looked at and its view built, beside bare aiohttp."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.measure.daemons import QuietDaemon, bare
from scripts.measure.driver import Make, http_caller, rate, ws_caller
from scripts.measure.table import Row, Scale, compared, in_turns

NEEDED = 0.5
CHILDREN = 20


@dataclass(frozen=True, slots=True)
class Shape:
    """One way of calling one method."""

    name: str
    what: str
    method: str
    connections: int
    in_flight: int = 1
    over_http: bool = False

    def makes(self, call: bytes) -> list[Make]:
        """Give the callers."""
        make = http_caller(call) if self.over_http else ws_caller(call, self.in_flight)
        return [make] * self.connections


HEALTH, NODE, TREE = "daemon.health", "subsession.node", "subsession.tree"
SHAPES = (
    Shape("http-health", "HTTP, 16 connections: health", HEALTH, 16, over_http=True),
    Shape("http-node", "HTTP, 16 connections: node", NODE, 16, over_http=True),
    Shape("http-tree", f"HTTP, 16 connections: tree of {CHILDREN + 1}", TREE, 16, over_http=True),
    Shape("ws-health", "WebSocket, 16 connections: health", HEALTH, 16),
    Shape("ws-node", "WebSocket, 16 connections: node", NODE, 16),
    Shape("ws-tree", f"WebSocket, 16 connections: tree of {CHILDREN + 1}", TREE, 16),
    Shape("ws-32", "WebSocket, 1 with 32 in flight: health", HEALTH, 1, in_flight=32),
)
ROWS = tuple(shape.name for shape in SHAPES)


def measure(scale: Scale) -> list[Row]:
    """Measure every shape; a quick run leaves those of one node out."""
    with QuietDaemon() as daemon:
        with daemon.client() as client:
            root = daemon.hire(client, CHILDREN)
            params: dict[str, Any] = {HEALTH: {}, NODE: {"nodeId": root}, TREE: {}}
            results = {name: client.call(name, given) for name, given in params.items()}
        with bare(daemon.folder, results) as path:
            shapes = [s for s in SHAPES if s.method is not NODE or not scale.quick]
            return [_row(scale, shape, params, daemon.socket, path) for shape in shapes]


def _row(scale: Scale, shape: Shape, params: Any, ours: Path, ceiling: Path) -> Row:
    call = {"jsonrpc": "2.0", "method": shape.method, "params": params[shape.method], "id": 1}
    makes = shape.makes(json.dumps(call, separators=(",", ":")).encode())
    found = in_turns(
        scale.rounds,
        ceiling=lambda: rate(ceiling, makes, scale.round_s),
        ours=lambda: rate(ours, makes, scale.round_s),
    )
    row = Row(shape.name, shape.what, f"≥ {NEEDED} × bare aiohttp", unit="/s")
    return compared(row, found, at_least=NEEDED)
