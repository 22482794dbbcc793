"""What a person is told on her desktop: one line about nodes that wait for her, or have ended.

Bounded whatever happened, and plain: what agents wrote is neither markup nor more than a line.
"""

from collections.abc import Callable
from types import MappingProxyType
from typing import Final

from subsessiond.core.views.blocked import category_of
from subsessiond.model.base import Value
from subsessiond.model.node import Node

NAMED_MOST: Final = 3
"""Nodes that are named; the others are counted."""

TITLE_CHARS: Final = 40
ASK_CHARS: Final = 80
"""What is shown of a title and of a blocker: with three nodes named all of it stays one line."""

_KINDS: Final = MappingProxyType({"mail": "left reports that nobody read"})
"""What waits where the name of its category says too little."""

_MARKUP: Final = str.maketrans({"<": "‹", ">": "›", "&": "+"})


class Notice(Value, frozen=True, kw_only=True):
    """One notification."""

    title: str
    text: str


def notice_of(
    waiting: tuple[Node, ...], ended: tuple[Node, ...], scrub: Callable[[str], str]
) -> Notice:
    """Say in one notice all that has happened since the last one.

    Args:
        waiting: Nodes that have entered the queue, oldest first.
        ended: Roots whose last child has ended.
        scrub: Takes secrets out of a text, before anything is cut.
    """
    parts = [_asks(node, scrub) for node in waiting] + [
        f"all children of {_plain(_name(node), TITLE_CHARS, scrub)} have ended" for node in ended
    ]
    told = "; ".join(parts[:NAMED_MOST])
    more = f"; and {len(parts) - NAMED_MOST} more" if len(parts) > NAMED_MOST else ""
    title = f"{len(waiting)} wait for you" if len(waiting) > 1 else "waits for you"
    return Notice(title=f"subsession: {title if waiting else 'ended'}", text=told + more)


def _asks(node: Node, scrub: Callable[[str], str]) -> str:
    said = node.settlement
    words = (*said.blockers, *said.open_questions) if said else ()
    name = _plain(_name(node), TITLE_CHARS, scrub)
    kind = category_of(node)
    what = _plain(words[0], ASK_CHARS, scrub) if words else _KINDS.get(kind, kind)
    return f"{name}: {what}"


def _name(node: Node) -> str:
    return node.title or node.node_id


def _plain(text: str, most: int, scrub: Callable[[str], str]) -> str:
    shown = "".join(c if c.isprintable() else " " for c in scrub(text)).translate(_MARKUP)
    line = " ".join(shown.split())
    return line if len(line) <= most else line[: most - 1] + "…"
