"""The tree as lines of text: one a node, as wide as the reader's terminal, in any alphabet."""

from collections.abc import Iterable, Iterator

from subsession.cli import facts
from subsession.cli.bell import has_mail, is_waiting
from subsession.cli.session import SHORT
from subsession.cli.voice import Voice
from subsession.text import cell, cut
from subsession.verbs import Json

_ROLE, _STATE, _AGE, _TOKENS = 8, 13, 11, 12
_TITLE_LEAST = 8
"""Columns a title keeps: below a tree that is too deep for them, nothing is moved to the right."""


class Picture:
    """Draws trees for one reader."""

    def __init__(self, voice: Voice) -> None:
        self._voice = voice
        fork, last, line, gap = "├─ ", "└─ ", "│  ", "   "
        if not voice.is_unicode:
            fork, last, line, gap = "|- ", "`- ", "|  ", "   "
        self._fork, self._last, self._line, self._gap = fork, last, line, gap
        self._ellipsis = "…" if voice.is_unicode else ".."

    def lines(self, rows: Iterable[Json], now_ms: float) -> list[str]:
        """Draw rows as trees under a line of headings.

        Args:
            rows: rows of `subsession.tree`, in any order.
            now_ms: wall clock, milliseconds since 1970.
        """
        return [
            self._headings(),
            *(self._row(branch, row, now_ms) for branch, row in self._walk(rows)),
        ]

    def _title_columns(self) -> int:
        """Columns left for branch and title."""
        return self._voice.columns - (_ROLE + _STATE + _AGE + _TOKENS + SHORT + 5)

    def _headings(self) -> str:
        cells = ("node", self._title_columns()), ("role", _ROLE), ("state", _STATE)
        text = " ".join(cell(word, columns) for word, columns in cells)
        text += f" {cell('last sign', _AGE)} {cell('tokens', _TOKENS)} {'id':>{SHORT}}"
        return self._voice.style("dim", text)

    def _row(self, branch: str, row: Json, now_ms: float) -> str:
        found = facts.state(row)
        glyph = found.glyph if self._voice.is_unicode else facts.ascii_glyph(found.glyph)
        room = self._title_columns() - len(branch)
        parts = [
            branch + cell(title(row), room, self._ellipsis),
            cell(str(row.get("role") or "root"), _ROLE, self._ellipsis),
            self._voice.style(found.style, cell(f"{glyph} {found.word}", _STATE, self._ellipsis)),
            cell(facts.age(row, now_ms), _AGE, self._ellipsis),
            cell(facts.tokens(row), _TOKENS, self._ellipsis),
            self._voice.style("dim", cut(str(row["nodeId"])[-SHORT:], SHORT)),
        ]
        return " ".join(parts)

    def _walk(self, rows: Iterable[Json]) -> Iterator[tuple[str, Json]]:
        """Give every row once, parents first, with the branch that leads to it."""
        by_id = {str(row["nodeId"]): row for row in rows}
        children: dict[str, list[str]] = {}
        tops: list[str] = []
        for node_id in sorted(by_id):
            parent = by_id[node_id].get("parentId")
            (children.setdefault(parent, []) if parent in by_id else tops).append(node_id)
        stack: list[tuple[str, str, str]] = [("", "", node_id) for node_id in reversed(tops)]
        while stack:
            branch, below, node_id = stack.pop()
            yield branch, by_id[node_id]
            found = children.get(node_id, [])
            deep = self._title_columns() - len(below) < _TITLE_LEAST + 2 * len(self._line)
            for child in reversed(found):
                is_last = child == found[-1]
                turn, pad = (self._last, self._gap) if is_last else (self._fork, self._line)
                stack.append((below + turn, below if deep else below + pad, child))


def title(row: Json) -> str:
    """Name a node."""
    return str(row.get("title") or "(no title)")


def summary(rows: Iterable[Json], voice: Voice) -> str:
    """Count children by where they stand, and say where a person is needed."""
    children = [row for row in rows if row.get("parentId")]
    if not children:
        return "no children yet"
    counts: dict[str, int] = {}
    for row in children:
        word = "live" if facts.is_live(row) else facts.end(row)
        counts[word] = counts.get(word, 0) + 1
    text = ", ".join(f"{count} {cut(word, 12)}" for word, count in counts.items())
    if unread := sum(row["unread"] for row in children if has_mail(row)):
        text += voice.style("yellow", f"; {facts.reports(unread)} that nobody read")
    if any(is_waiting(row) for row in children):
        text += voice.style("yellow", "; `subsession blocked` shows what waits for you")
    return text
