"""What a daemon costs that has nothing to do: memory idle and by live nodes, and processor time."""

import time
import tracemalloc
from dataclasses import dataclass

from scripts.measure.daemons import MEMORY, QuietDaemon, pid_of
from scripts.measure.deciding import tree_without_claims
from scripts.measure.processes import cpu_ms, pss_kib, rss_kib, threads
from scripts.measure.table import Row, Scale, limited
from tests.support.daemon import Daemon

ROWS = ("idle-memory", "node-memory", "quiet-cpu", "quiet-threads")
TRACED = 60
"""Nodes of each step where memory is traced, which is slow."""
PARTS = 5
NODES = 1_000
"""Of the tree whose memory is counted in this process."""
PACKAGES = (
    *("subsessiond/core", "subsessiond/engine", "subsessiond/adapters/runners"),
    *("subsessiond/adapters", "subsessiond/rpc", "subsessiond", "asyncio"),
)
"""Whose code asks for memory; the first that a file lies in."""
IDLE_MIB = 60.0
NODE_KIB = 4.0
SHARE = 1.0
"""Of a core, in hundredths."""
SETTLE_S = 1.0
"""How long after the last start the daemon may still be writing journals."""


@dataclass(frozen=True, slots=True)
class Use:
    """What a daemon uses."""

    pss_kib: float
    rss_kib: float
    share: float
    """Of a core, in hundredths, over the window."""
    threads: int


def measure(scale: Scale) -> list[Row]:
    """Measure a daemon as it ships, then one with many quiet children."""
    with Daemon() as plain:
        time.sleep(SETTLE_S)
        idle = _use(plain, scale.quiet_s / 3)
    with QuietDaemon() as daemon, daemon.client() as client:
        # Why two halves: the first also pays for what all nodes share.
        daemon.hire(client, scale.quiet // 2)
        time.sleep(SETTLE_S)
        half = _use(daemon, 0.0)
        daemon.hire(client, scale.quiet - scale.quiet // 2)
        time.sleep(SETTLE_S)
        full = _use(daemon, scale.quiet_s)
    return [
        _idle(idle),
        _node(scale, half, full),
        _quiet(scale, idle, full),
        _threads(scale, half, full),
    ]


def _use(daemon: Daemon, window_s: float) -> Use:
    pid = pid_of(daemon)
    before, begin = cpu_ms(pid), time.perf_counter()
    time.sleep(window_s)
    seconds = time.perf_counter() - begin
    share = (cpu_ms(pid) - before) / 10 / seconds if window_s else 0.0
    return Use(pss_kib(pid), rss_kib(pid), share, threads(pid))


def _idle(idle: Use) -> Row:
    note = f"resident {idle.rss_kib / 1024:.1f} MiB"
    row = Row(ROWS[0], "memory of an idle daemon", f"≤ {IDLE_MIB:.0f} MiB", "MiB", note=note)
    return limited(row, idle.pss_kib / 1024, IDLE_MIB)


def _node(scale: Scale, half: Use, full: Use) -> Row:
    each = (full.pss_kib - half.pss_kib) / (scale.quiet - scale.quiet // 2)
    what = "memory of a live node, its run included"
    note = f"from {scale.quiet // 2} to {scale.quiet}; in the tree itself {_in_tree_kib():.1f} KiB"
    if each > NODE_KIB:
        note += f"; traced in a daemon of its own: {_traced()}"
    row = Row(ROWS[1], what, f"≤ {NODE_KIB:.0f} KiB", "KiB", note=note)
    return limited(row, each, NODE_KIB)


def _traced() -> str:
    """Say who asked for the memory that a live node holds, by Python's own count in a daemon."""
    with QuietDaemon(counts=MEMORY) as daemon, daemon.client() as client:
        daemon.hire(client, TRACED)  # they also pay for what all nodes share
        daemon.spent()
        daemon.hire(client, TRACED)
        time.sleep(SETTLE_S)
        held = _by_part(daemon.spent()["memory"])
    kib = {part: size / TRACED / 1024 for part, size in held.items()}
    largest = sorted(kib, key=lambda part: -kib[part])[:PARTS]
    said = ", ".join(f"{part} {kib[part]:.1f}" for part in largest)
    return f"{sum(kib.values()):.1f} KiB, most of it {said}"


def _by_part(held: dict[str, int]) -> dict[str, int]:
    """Add memory up by the package whose code asked for it."""
    found: dict[str, int] = {}
    for name, size in held.items():
        part = next((p for p in PACKAGES if f"/{p}/" in name), "others")
        found[part] = found.get(part, 0) + size
    return found


def _in_tree_kib() -> float:
    """Give what one node takes in the tree, by Python's own count, in this process."""
    tracemalloc.start()
    tree = tree_without_claims(NODES)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return held / len(tree.nodes) / 1024


def _quiet(scale: Scale, idle: Use, full: Use) -> Row:
    note = f"over {scale.quiet_s:.0f} s, which hold the sweep of every 5 s; the ceiling has none"
    what = f"{scale.quiet:,} quiet children, of a core"
    row = Row(ROWS[2], what, f"< {SHARE:.0f} %", "%", note=note)
    return limited(row, full.share, SHARE, idle.share)


def _threads(scale: Scale, half: Use, full: Use) -> Row:
    row = Row(ROWS[3], f"{scale.quiet:,} quiet children, threads", f"as with {scale.quiet // 2}")
    return limited(row, float(full.threads), float(half.threads), float(half.threads))
