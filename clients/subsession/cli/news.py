"""What happens in a tree, a line at a time, for readers that are no terminal."""

import time
from collections.abc import Iterable

from subsession.cli import facts
from subsession.cli.picture import title
from subsession.cli.session import SHORT
from subsession.cli.voice import Voice
from subsession.text import cell, cut
from subsession.verbs import Json

_WORDS = {"starting": "admitted"}


class News:
    """Tells every node's steps, each once.

    Args:
        voice: where to tell; as JSON, each line is the row as it came.
    """

    def __init__(self, voice: Voice) -> None:
        self._voice = voice
        self._told: dict[str, str] = {}
        self._seqs: dict[str, object] = {}

    def tell(self, rows: Iterable[Json], now_ms: float) -> None:
        """Tell what is new in these rows."""
        for row in sorted(rows, key=lambda row: int(row.get("seq", 0))):
            node_id = str(row["nodeId"])
            if self._voice.as_json:
                if self._seqs.get(node_id) != row.get("seq"):
                    self._voice.answer(row, "")
                self._seqs[node_id] = row.get("seq")
                continue
            step = _step(row)
            if self._told.get(node_id) != step:
                self._voice.line(self._line(row, step, now_ms))
            self._told[node_id] = step

    def _line(self, row: Json, step: str, now_ms: float) -> str:
        clock = time.strftime("%H:%M:%S", time.localtime(now_ms / 1_000))
        took = "" if facts.is_live(row) else facts.age(row, now_ms)
        reason = "" if facts.is_live(row) else f"({row.get('reason') or 'no reason'})"
        word = self._voice.style(facts.state(row).style, cell(step, 10))
        rest = cut(f"{took} {reason}", self._voice.columns - 60)
        short = cut(str(row["nodeId"])[-SHORT:], SHORT)
        return f"{clock}  {cell(title(row), 30)} {short}  {word} {rest}".rstrip()


def _step(row: Json) -> str:
    """Give the step of life a node has reached: phases come and go and are not told."""
    word = facts.state(row).word
    if facts.is_live(row) and word not in ("starting", "stopping"):
        return "running"
    return _WORDS.get(word, word)
