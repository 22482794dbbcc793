"""The context ledger as lines of text. Knows the fields of its rows and nothing else."""

from collections.abc import Iterator
from typing import Final

from subsession.amounts import say_bytes, say_tokens
from subsession.cli.session import SHORT
from subsession.cli.voice import Voice
from subsession.text import cell, cut, one_line
from subsession.verbs import Json

UNKNOWN: Final = "unknown"
_SIZE, _TOKENS, _RATIO = 8, 8, 8
_NUMBERS: Final = 2 * (_SIZE + _TOKENS) + _RATIO + SHORT + 7
"""Columns of all but the name, with the blanks between them."""
_BELOW: Final = "  "
_DEEPEST: Final = 8
"""Levels that are moved to the right; deeper ones stand below these."""
_FEW: Final = 10.0
"""Percent from which on one decimal says enough."""

LEGEND: Final = "~ estimated: a third of the bytes"


def table(roots: list[Json], rows: list[Json], voice: Voice) -> list[str]:
    """Draw the trees, each root with the sums of its own."""
    lines = [voice.style("dim", _line(voice, "", "node", _HEADS, "id"))]
    for root in roots:
        own = [row for row in rows if row["rootId"] == root["rootId"]]
        lines.append(_row(voice, "", root, str(root["rootId"])))
        lines += [_row(voice, pad, row, str(row["nodeId"])) for pad, row in _walk(own)]
        lines += [voice.style("dim", f"{_BELOW}{said}") for said in _beside(root)]
    return [*lines, voice.style("dim", LEGEND)]


def in_short(figures: Json) -> str:
    """Say the figures of a child, or the sums of a root, on one line."""
    holds = _with_tokens(figures, "transcript")
    parts = [f"session {holds}, parent shown {_with_tokens(figures, 'shown')}"]
    parts += [percent(figures["ratio"])] if figures["ratio"] is not None else []
    return ", ".join(parts)


def percent(ratio: float) -> str:
    """Say a part in percent."""
    share = 100 * ratio
    return f"{share:.1f} %" if share >= _FEW else f"{share:.2f} %"


_HEADS: Final = ("session", "~tokens", "shown", "~tokens", "share")


def _row(voice: Voice, pad: str, figures: Json, node_id: str) -> str:
    name = one_line(str(figures.get("title") or node_id[-SHORT:]))
    numbers = (
        _size(figures["transcriptBytes"]),
        _tokens(figures["transcriptEstimatedTokens"]),
        _size(figures["shownBytes"]),
        _tokens(figures["shownEstimatedTokens"]),
        percent(figures["ratio"]) if figures["ratio"] is not None else "",
    )
    return _line(voice, pad, name, numbers, one_line(node_id)[-SHORT:])


def _line(voice: Voice, pad: str, name: str, numbers: tuple[str, ...], node_id: str) -> str:
    widths = (_SIZE, _TOKENS, _SIZE, _TOKENS, _RATIO)
    told = " ".join(f"{text:>{width}}" for text, width in zip(numbers, widths, strict=True))
    ellipsis = "…" if voice.is_unicode else ".."
    room = voice.columns - _NUMBERS - len(pad)
    return f"{pad}{cell(name, room, ellipsis)} {told}  {cut(node_id, SHORT)}"


def _walk(rows: list[Json]) -> Iterator[tuple[str, Json]]:
    """Give every row once, parents first, moved to the right by its level."""
    names = {row["nodeId"] for row in rows}
    children: dict[str, list[Json]] = {}
    for row in rows:
        above = str(row.get("parentId"))
        children.setdefault(above if above in names else "", []).append(row)
    stack = [(_BELOW, row) for row in reversed(children.get("", []))]
    while stack:
        pad, row = stack.pop()
        yield pad, row
        deeper = pad + _BELOW if len(pad) < _DEEPEST * len(_BELOW) else pad
        stack += [(deeper, child) for child in reversed(children.get(row["nodeId"], []))]


def _beside(root: Json) -> list[str]:
    """Say what stands beside the sums of a root."""
    said = []
    if root["counted"] < root["children"]:
        said.append(f"sums are of {root['counted']} of {root['children']} children")
    if root["generalBytes"]:
        said.append(f"of no one child: {_size(root['generalBytes'])} of what was shown")
    if root["againBytes"]:
        said.append(f"shown once more: {_size(root['againBytes'])} of mail")
    if root["definitionBytes"] is not None:
        said.append(f"definitions of tools, fixed: {_size(root['definitionBytes'])}")
    if root.get("mayLack"):
        said.append("a daemon was killed: what it counted in its last second may be missing")
    return said


def _with_tokens(figures: Json, name: str) -> str:
    size = figures[f"{name}Bytes"]
    if size is None:
        return UNKNOWN
    return f"{_size(size)} (~{_tokens(figures[f'{name}EstimatedTokens'])} tokens)"


def _size(count: int | None) -> str:
    return UNKNOWN if count is None else say_bytes(count)


def _tokens(count: int | None) -> str:
    return "" if count is None else say_tokens(count)
