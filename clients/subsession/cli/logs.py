"""`logs`: what a child printed and was told, for the operator."""

import time
from collections.abc import Iterator
from typing import Final

from subsession.cli import exits
from subsession.cli.arguments import Verbs
from subsession.cli.session import Session
from subsession.text import block, one_line
from subsession.verbs import Json

_PACE_S: Final = 0.5
"""How often it is asked for more: a person reads no faster."""

_LINES: Final = 100


def add(verbs: Verbs) -> None:
    """Add the verb."""
    parser = verbs.add(
        "logs",
        logs,
        "read the transcript of a child",
        "Each line begins with out or err (it printed that), in (it was told that), note (the\n"
        "daemon's words) or lost. Secrets are taken out. Kept: the beginning and the newest.",
    )
    parser.add_argument("node", metavar="NODE")
    parser.add_argument("--follow", "-f", action="store_true", help="go on until it has ended")
    parser.add_argument(
        "--lines",
        type=int,
        default=_LINES,
        metavar="N",
        help=f"so many of the newest lines (default {_LINES}); 0 for all from the beginning",
    )
    parser.add_argument("--raw", action="store_true", help="only what it printed, as it printed it")


def logs(session: Session) -> int:
    """Show a transcript; with JSON one piece a line."""
    words = session.words
    node_id = session.node_id(words.node)
    page = session.client.transcript(node_id, after=None if words.lines > 0 else 0)
    records = list(page.get("records", ()))
    if words.lines > 0:
        records = newest(records, words.lines)
    _show(session, records)
    for more in _following(session, node_id, page):
        _show(session, more)
    return exits.OK


def _following(session: Session, node_id: str, page: Json) -> Iterator[list[Json]]:
    """Give page after page: all there is already and, where it is followed, what comes."""
    words = session.words
    going_on = True
    while going_on:
        behind = page.get("more") and words.lines <= 0
        if not behind and not words.follow:
            return
        # Why asked once more after its end: its last words are written a moment later.
        going_on = bool(behind or page.get("live"))
        if not page.get("more"):
            time.sleep(_PACE_S)
        page = session.client.transcript(node_id, after=page.get("next", 0))
        going_on = going_on or bool(page.get("more"))
        yield list(page.get("records", ()))


def newest(records: list[Json], count: int) -> list[Json]:
    """Keep so many lines from the end; the first piece kept may lose lines at its front."""
    kept: list[Json] = []
    for record in reversed(records):
        if count <= 0:
            break
        lines = str(record.get("text", "")).splitlines(keepends=True)
        kept.append({**record, "text": "".join(lines[-count:])})
        count -= len(lines)
    return kept[::-1]


def _show(session: Session, records: list[Json]) -> None:
    words, voice = session.words, session.voice
    for record in records:
        text, kind = str(record.get("text", "")), str(record.get("kind"))
        if words.raw and not voice.as_json:
            if kind in ("out", "err"):
                voice.raw(text)
            continue
        mark = f"{one_line(kind):<4} "
        lines = block(text.removesuffix("\n")).split("\n")
        voice.answer(record, "\n".join(mark + line for line in lines))
