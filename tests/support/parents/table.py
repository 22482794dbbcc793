"""The comparison as it is recorded and printed: tests/agents/comparison.json."""

import json
from pathlib import Path
from typing import Any, Final

FILE: Final = Path(__file__).parents[2] / "agents/comparison.json"
HEADS: Final = (
    *("parent", "who looks", "transcripts", "parent was shown", "share", "when they are chatty"),
    *("tools", "parent's calls", "others'", "time"),
)
NONE: Final = "–"

Row = dict[str, Any]


def read() -> Row:
    """Give what was recorded."""
    found: Row = json.loads(FILE.read_text("utf-8"))
    return found


def write(found: Row) -> None:
    """Record."""
    FILE.write_text(json.dumps(found, indent=2) + "\n", "utf-8")


def make_table(found: Row) -> str:
    """Give the table, in Markdown."""
    lines = [f"| {' | '.join(HEADS)} |", "|---" * 2 + "|--:" * (len(HEADS) - 2) + "|"]
    lines += [f"| {' | '.join(_cells(row))} |" for row in found["rows"]]
    return "\n".join(lines)


def _cells(row: Row) -> tuple[str, ...]:
    plain, chatty = row["plain"], row["chatty"]
    return (
        row["parent"],
        row["way"],
        _kilobytes(plain["transcript_bytes"]),
        _kilobytes(plain["shown_bytes"]),
        f"{100 * plain['shown_bytes'] / plain['transcript_bytes']:.1f} %",
        _kilobytes(chatty["shown_bytes"]) if plain["children_calls"] else NONE,
        _kilobytes(plain["tools_bytes"]) if plain["tools_bytes"] else NONE,
        str(plain["parent_calls"]),
        str(plain["children_calls"] or NONE),
        f"{plain['seconds']:.1f} s",
    )


def _kilobytes(size: int) -> str:
    return f"{size / 1_000:.1f} kB"
