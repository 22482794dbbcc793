"""One row of the table, and the table as text and as JSON."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import median
from typing import Any

Series = dict[str, list[float]]


@dataclass(frozen=True, slots=True)
class Row:
    """What one thing reaches beside what it could reach."""

    name: str
    what: str
    target: str
    unit: str = ""
    ours: float | None = None
    """None when it could not be measured; `note` then says why."""
    ceiling: float | None = None
    """Of the same run; None where the target is a plain amount."""
    ratio: float | None = None
    met: bool | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Scale:
    """How much is measured."""

    quick: bool
    round_s: float
    rounds: int
    few: int
    """Repetitions of what takes seconds."""
    quiet_s: float
    nodes: int
    events: int
    live: int
    quiet: int
    """Children with nothing to do."""


def compared(row: Row, series: Series, *, at_least: float = 0.0, at_most: float = 0.0) -> Row:
    """Fill a row with the medians of `ours` and `ceiling`, and judge their ratio."""
    ours, ceiling = median(series["ours"]), median(series["ceiling"])
    ratio = ours / ceiling
    met = ratio >= at_least if at_least else ratio <= at_most
    return replace(row, ours=ours, ceiling=ceiling, ratio=ratio, met=met)


def limited(row: Row, ours: float, limit: float, ceiling: float | None = None) -> Row:
    """Fill a row with an amount that has a plain limit."""
    ratio = ours / ceiling if ceiling else None
    return replace(row, ours=ours, ceiling=ceiling, ratio=ratio, met=ours <= limit)


def in_turns(rounds: int, **takes: Callable[[], float]) -> Series:
    """Measure each thing once a round, so that whatever else the machine does meets all alike."""
    found: Series = {name: [] for name in takes}
    for _ in range(rounds):
        for name, take in takes.items():
            found[name].append(take())
    return found


def timed_ms(act: Callable[[], Any]) -> float:
    """Time one act by the wall clock."""
    begin = time.perf_counter()
    act()
    return (time.perf_counter() - begin) * 1_000


def percentile(values: Sequence[float], share: float) -> float:
    """Give the value below which that share of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def as_json(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Give the rows as JSON objects."""
    return [asdict(row) for row in rows]


def as_text(rows: Sequence[Row]) -> str:
    """Give the rows as a table, with a line of notes below those that have one."""
    lines = [f"{'':44} {'ours':>14} {'ceiling':>14} {'ratio':>7}  {'target':<22} met"]
    for row in rows:
        lines.append(_line(row))
        if row.note:
            lines.append(f"    {row.name}: {row.note}")
        else:
            lines.append(f"    {row.name}")
    return "\n".join(lines)


def _line(row: Row) -> str:
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
    met = {True: "yes", False: "NO", None: "not measured" if row.ours is None else "–"}[row.met]
    return (
        f"{row.what:44} {_amount(row.ours, row.unit):>14} {_amount(row.ceiling, row.unit):>14}"
        f" {ratio:>7}  {row.target:<22} {met}"
    )


def _amount(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2  # noqa: PLR2004
    return f"{value:,.{digits}f} {unit}"
