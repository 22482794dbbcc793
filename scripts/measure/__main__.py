"""Measures what the daemon promises to reach, each beside its ceiling. `scripts/bench` calls it."""

import argparse
import json
import os
import sys
import tempfile
import time
import traceback
from types import ModuleType

from scripts.measure import (
    agent,
    child,
    deciding,
    following,
    launching,
    posting,
    reading,
    reporting,
    resting,
    shimming,
    starting,
)
from scripts.measure.table import Row, Scale, as_json, as_text

PARTS: tuple[ModuleType, ...] = (
    reading,
    posting,
    reporting,
    deciding,
    following,
    starting,
    resting,
    launching,
    child,
    agent,
    shimming,
)


def main() -> int:
    """Measure what was asked for and print it; 1 when a target is missed, or nothing came out."""
    words = _read_words()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="ssb-") as folder:
        _write_bytecode(folder)
        rows = _measure(words.row, _scale(quick=words.quick))
    if words.json:
        print(json.dumps(as_json(rows), indent=1, ensure_ascii=False))
    else:
        print(as_text(rows))
        print(f"\n{time.perf_counter() - began:.0f} s" + (" (quick)" if words.quick else ""))
    is_short = not any(row.ours is not None for row in rows)
    return 1 if is_short or any(row.met is False for row in rows) else 0


def _read_words() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/bench",
        description="Measures each promise beside its ceiling of the same run.",
        epilog="rows: " + " ".join(name for part in PARTS for name in part.ROWS),
    )
    parser.add_argument("--quick", action="store_true", help="less of everything; under a minute")
    parser.add_argument("--json", action="store_true", help="print rows as JSON")
    parser.add_argument("--row", action="append", help="only this row; may be given again")
    words = parser.parse_args()
    known = {name for part in PARTS for name in part.ROWS}
    if unknown := set(words.row or ()) - known:
        parser.error(f"no such row: {', '.join(sorted(unknown))}; rows are {', '.join(known)}")
    return words


def _write_bytecode(folder: str) -> None:
    """See to it that programs are compiled once, as they are wherever this is not switched off."""
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
        os.environ["PYTHONPYCACHEPREFIX"] = folder


def _scale(*, quick: bool) -> Scale:
    if quick:
        return Scale(
            quick=True,
            round_s=0.2,
            rounds=2,
            few=3,
            quiet_s=5.0,
            nodes=10_000,
            events=100_000,
            live=100,
            quiet=500,
        )
    return Scale(
        quick=False,
        round_s=0.6,
        rounds=5,
        few=5,
        quiet_s=10.0,
        nodes=100_000,
        events=1_000_000,
        live=1_000,
        quiet=1_000,
    )


def _measure(wanted: list[str] | None, scale: Scale) -> list[Row]:
    rows: list[Row] = []
    for part in PARTS:
        if wanted is None or set(wanted) & set(part.ROWS):
            rows += _all_of(part, scale)
    return [row for row in rows if wanted is None or row.name in wanted]


def _all_of(part: ModuleType, scale: Scale) -> list[Row]:
    """Give every row of a part; those that could not be measured say why."""
    begin = time.perf_counter()
    why = "left out of a quick run"
    rows: list[Row] = []
    try:
        rows = part.measure(scale)
    except Exception as error:  # noqa: BLE001 -- one part that fails leaves the others their numbers
        traceback.print_exc()
        why = f"{type(error).__name__}: {error}"
    print(f"{part.__name__}: {time.perf_counter() - begin:.0f} s", file=sys.stderr)
    found = {row.name: row for row in rows}
    missing = f"not measured: {why}"
    return [found.get(name) or Row(name, name, "", note=missing) for name in part.ROWS]


if __name__ == "__main__":
    sys.exit(main())
