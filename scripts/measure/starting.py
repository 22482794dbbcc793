"""A start on a registry of full size: from the process to the first answer."""

from pathlib import Path
from shutil import copytree, rmtree
from statistics import median

from scripts.measure.daemons import QuietDaemon, pid_of, until_answer_ms
from scripts.measure.filling import fill, open_once
from scripts.measure.processes import cpu_ms, pss_kib
from scripts.measure.table import Row, Scale, Series, limited

ROWS = ("start-full", "start-settled", "start-live", "settled-memory")
LIMIT_MS = 1_000.0
STARTS = 3
ENOUGH_KIB = 512.0
"""What counts as nothing: what the memory of two equal daemons may differ by."""


def measure(scale: Scale) -> list[Row]:
    """Measure a start on everything, on the settled alone, and on the live alone."""
    sizes: dict[str, dict[str, int]] = {
        "empty": {},
        "fewer": {"closed": scale.nodes // 10, "events": scale.events // 10},
        "settled": {"closed": scale.nodes, "events": scale.events},
        "live": {"live": scale.live, "events": 10 * scale.live},
        "full": {"live": scale.live, "closed": scale.nodes, "events": scale.events},
    }
    with QuietDaemon():  # whose files are warm from now on
        pass
    found = {name: _started(size, 1 if scale.quick else STARTS) for name, size in sizes.items()}
    took, cpu, memory = ({kind: found[kind][n] for kind in sizes} for n in range(3))
    return [*_starts(scale, took, cpu), _memory(scale, memory)]


def _started(size: dict[str, int], starts: int) -> tuple[list[float], ...]:
    """Start so often; gives wall clock and processor time in ms, and memory in KiB, of each."""
    found: tuple[list[float], ...] = ([], [], [])
    with QuietDaemon(starts=False) as daemon:
        fill(daemon.state, daemon.workspace, **size)
        kept = daemon.folder / "kept"
        if "live" in size:
            copytree(daemon.state, kept)
        for n in range(starts):
            if n and "live" in size:
                _bring_back(daemon, kept)
            took = until_answer_ms(daemon)
            pid = pid_of(daemon)
            for values, value in zip(found, (took, cpu_ms(pid), pss_kib(pid)), strict=True):
                values.append(value)
            daemon.stop()
    return found


def _bring_back(daemon: QuietDaemon, kept: Path) -> None:
    """Make all as it was: what is live is live for the first start alone."""
    for made in (daemon.state, *daemon.workspace.glob("*/.subsession")):
        rmtree(made)
    copytree(kept, daemon.state)
    open_once(daemon.state)


def _starts(scale: Scale, took: Series, cpu: Series) -> list[Row]:
    ceiling = median(took["empty"])
    full = f"{scale.live:,} live, {scale.nodes:,} settled, {scale.events:,} events"
    known = {
        "full": (ROWS[0], "start on a full registry", f"{full}; the ceiling is an empty one; "),
        "settled": (ROWS[1], "  without the live", ""),
        "live": (ROWS[2], "  the live alone", ""),
    }
    rows = []
    for kind, (name, what, note) in known.items():
        spent = f"processor time {median(cpu[kind]):.0f} ms, empty {median(cpu['empty']):.0f}"
        row = Row(name, what, f"≤ {LIMIT_MS:,.0f} ms", "ms", note=note + spent)
        rows.append(limited(row, median(took[kind]), LIMIT_MS, ceiling))
    return rows


def _memory(scale: Scale, memory: Series) -> Row:
    grown = median(memory["settled"]) - median(memory["fewer"])
    what = f"{scale.nodes:,} settled of closed roots, memory"
    note = f"more than with {scale.nodes // 10:,}: {median(memory['fewer']):,.0f} KiB in all"
    row = Row(ROWS[3], what, f"nothing (≤ {ENOUGH_KIB:.0f} KiB)", "KiB", note=note)
    return limited(row, grown, ENOUGH_KIB)
