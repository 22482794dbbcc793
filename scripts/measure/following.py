"""`subsession.tree` since a cursor: what an answer costs by changes, and by nodes."""

import json
from statistics import median

from scripts.measure.daemons import QuietDaemon
from scripts.measure.driver import http_caller, times_ms
from scripts.measure.filling import fill
from scripts.measure.table import Row, Scale, compared, in_turns

ROWS = ("cursor",)
FEW_NODES = 1_000
FEW, MANY = 1, 200
"""Nodes that changed after the cursor."""
TIMES = 1.5
"""What still counts as the same, for two daemons beside each other on a busy machine."""


def measure(scale: Scale) -> list[Row]:
    """Measure at a thousand nodes and at the full number, by turns."""
    with QuietDaemon(starts=False) as small, QuietDaemon(starts=False) as large:
        for daemon, nodes in ((small, FEW_NODES), (large, scale.nodes)):
            fill(daemon.state, daemon.workspace, settled=nodes)
            daemon.start()
        return [_row(scale, small, large)]


def _row(scale: Scale, small: QuietDaemon, large: QuietDaemon) -> Row:
    before = {daemon: _change(daemon, MANY) for daemon in (small, large)}
    since = {daemon: _change(daemon, FEW) for daemon in (small, large)}
    found = in_turns(
        scale.rounds,
        ceiling=lambda: _p50_ms(scale, small, since[small]),
        ours=lambda: _p50_ms(scale, large, since[large]),
        many=lambda: _p50_ms(scale, large, before[large]),
    )
    note = f"{MANY + FEW} changes at {scale.nodes:,} nodes: {median(found['many']):.2f} ms"
    row = Row(
        ROWS[0],
        f"tree since a cursor, {FEW} change, {scale.nodes:,} nodes",
        f"≤ {TIMES} × at {FEW_NODES:,} nodes",
        "ms",
        note=note,
    )
    return compared(row, found, at_most=TIMES)


def _change(daemon: QuietDaemon, count: int) -> int:
    """Let so many nodes change; gives the number of the last event before."""
    with daemon.client() as client:
        seq = int(client.call("daemon.health", {})["seq"])
        for _ in range(count):
            client.call("subsession.open", {"workspace": str(daemon.workspace)})
    return seq


def _p50_ms(scale: Scale, daemon: QuietDaemon, since: int) -> float:
    params = {"sinceSeq": since}
    call = {"jsonrpc": "2.0", "method": "subsession.tree", "params": params, "id": 1}
    return median(times_ms(daemon.socket, http_caller(json.dumps(call).encode()), scale.round_s))
