"""A start on a registry of full size: from the process to the first answer."""

from pathlib import Path
from shutil import copytree, rmtree
from statistics import median

from scripts.measure.daemons import QuietDaemon, pid_of, until_answer_ms
from scripts.measure.filling import fill, open_once
from scripts.measure.processes import pss_kib
from scripts.measure.table import Row, Scale, Series, limited

ROWS = ("start-full", "start-settled", "start-live", "settled-memory")
LIMIT_MS = 1_000.0
ENOUGH_KIB = 512.0
"""What counts as nothing: what the memory of two equal daemons may differ by."""


def measure(scale: Scale) -> list[Row]:
    """Measure a start on everything, on the settled alone, and on the live alone."""
    sizes = {
        "empty": {},
        "fewer": {"closed": scale.nodes // 10, "events": scale.events // 10},
        "settled": {"closed": scale.nodes, "events": scale.events},
        "live": {"live": scale.live, "events": 10 * scale.live},
        "full": {"live": scale.live, "closed": scale.nodes, "events": scale.events},
    }
    took: Series = {}
    memory: Series = {}
    with QuietDaemon(starts=False) as daemon:
        for name, size in sizes.items():
            kept = daemon.folder / name
            fill(kept, daemon.workspace, **size)
            for _ in range(scale.few):
                took.setdefault(name, []).append(_start_ms(daemon, kept))
                memory.setdefault(name, []).append(pss_kib(pid_of(daemon)))
                daemon.stop()
            rmtree(kept)
    return _rows(scale, took, memory)


def _start_ms(daemon: QuietDaemon, kept: Path) -> float:
    """Start on a copy: what is live is live for the first start alone."""
    for made in (daemon.state, *daemon.workspace.glob("*/.subsession")):
        if made.exists():
            rmtree(made)
    copytree(kept, daemon.state)
    open_once(daemon.state)
    return until_answer_ms(daemon)


def _rows(scale: Scale, took: Series, memory: Series) -> list[Row]:
    ms = {name: median(times) for name, times in took.items()}
    full = f"{scale.live:,} live, {scale.nodes:,} settled, {scale.events:,} events"
    note = f"{full}; the empty start is the ceiling"
    limit = f"≤ {LIMIT_MS:,.0f} ms"
    known = {
        "full": Row(ROWS[0], "start on a full registry", limit, "ms", note=note),
        "settled": Row(ROWS[1], "  without the live", limit, "ms"),
        "live": Row(ROWS[2], "  the live alone", limit, "ms"),
    }
    rows = [limited(row, ms[name], LIMIT_MS, ms["empty"]) for name, row in known.items()]
    grown = median(memory["settled"]) - median(memory["fewer"])
    what = f"{scale.nodes:,} settled of closed roots, memory"
    note = f"more than with {scale.nodes // 10:,}: {median(memory['fewer']):,.0f} KiB in all"
    row = Row(ROWS[3], what, f"nothing (≤ {ENOUGH_KIB:.0f} KiB)", "KiB", note=note)
    return [*rows, limited(row, grown, ENOUGH_KIB)]
