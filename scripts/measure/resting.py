"""What a daemon costs that has nothing to do: memory idle and by live nodes, and processor time."""

import time
import tracemalloc
from dataclasses import dataclass

from scripts.measure.daemons import QuietDaemon, pid_of
from scripts.measure.deciding import tree_without_claims
from scripts.measure.processes import cpu_ms, pss_kib, rss_kib, threads
from scripts.measure.table import Row, Scale, limited
from tests.support.daemon import Daemon

ROWS = ("idle-memory", "node-memory", "quiet-cpu", "quiet-threads")
CHILDREN = 1_000
HALF = CHILDREN // 2
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
        idle = _use(plain, scale.quiet_s / 2)
    with QuietDaemon() as daemon, daemon.client() as client:
        # Why two halves: the first also pays for what all nodes share.
        daemon.hire(client, HALF)
        time.sleep(SETTLE_S)
        half = _use(daemon, 0.0)
        daemon.hire(client, CHILDREN - HALF)
        time.sleep(SETTLE_S)
        full = _use(daemon, scale.quiet_s)
    return [_idle(idle), _node(half, full), _quiet(scale, idle, full), _threads(half, full)]


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


def _node(half: Use, full: Use) -> Row:
    each = (full.pss_kib - half.pss_kib) / (CHILDREN - HALF)
    what = "memory of a live node, its run included"
    note = f"from {HALF} to {CHILDREN}; in the tree itself {_in_tree_kib():.1f} KiB"
    row = Row(ROWS[1], what, f"≤ {NODE_KIB:.0f} KiB", "KiB", note=note)
    return limited(row, each, NODE_KIB)


def _in_tree_kib() -> float:
    """Give what one node takes in the tree, by Python's own count, in this process."""
    tracemalloc.start()
    tree = tree_without_claims(CHILDREN)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return held / len(tree.nodes) / 1024


def _quiet(scale: Scale, idle: Use, full: Use) -> Row:
    note = f"over {scale.quiet_s:.0f} s, which hold the sweep of every 5 s; the ceiling has none"
    what = f"{CHILDREN:,} quiet children, of a core"
    row = Row(ROWS[2], what, f"< {SHARE:.0f} %", "%", note=note)
    return limited(row, full.share, SHARE, idle.share)


def _threads(half: Use, full: Use) -> Row:
    row = Row(ROWS[3], f"{CHILDREN:,} quiet children, threads", f"as with {HALF}")
    return limited(row, float(full.threads), float(half.threads), float(half.threads))
