"""Private-key blocks: whole, without their end, and without their beginning."""

import re
from collections.abc import Iterator
from typing import Final

from subsessiond.core.scrub.spans import Span

_BEGIN: Final = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_END: Final = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?(?:-----)?")
_BODY: Final = re.compile(r"(?:\s|\\[nr]|[>|]){0,16}(?:[A-Z][A-Za-z-]{1,30}: |[A-Za-z0-9+/=]{8})")
"""How the inside of a block begins: with base64, or with a header of it."""

KEY_LINE: Final = re.compile(r"[ \t>|]{0,16}[A-Za-z0-9+/]{16,128}={0,2}[ \t\r]{0,4}")
"""A line that may stand inside of a block."""

_LAST_LINE: Final = re.compile(r"[ \t>|]{0,16}[A-Za-z0-9+/]{1,128}={0,2}[ \t\r]{0,4}")
"""What is left for a block's last line may be short."""


def find_blocks(text: str) -> Iterator[Span]:
    """Find private-key blocks.

    One without an end reaches to the end of the text, unless what follows is surely no key; of one
    without a beginning, the lines before its end are taken that can be lines of a key.
    """
    upto = 0
    ended = _END.search(text)
    while begun := _BEGIN.search(text, upto):
        yield from _find_ends(text, upto, begun.start())
        # Why asked before: a text without an end is searched for it once, not for every beginning.
        if ended is not None and ended.start() < begun.end():
            ended = _END.search(text, begun.end())
        upto = _end_of(text, begun, ended)
        yield begun.start(), upto
    yield from _find_ends(text, upto, len(text))


def _end_of(text: str, begun: re.Match[str], ended: re.Match[str] | None) -> int:
    if ended is not None:
        return ended.end()
    return len(text) if _BODY.match(text, begun.end()) else begun.end()


def _find_ends(text: str, first: int, last: int) -> Iterator[Span]:
    """Find blocks whose beginning is not there, in a part of the text that has no beginning."""
    upto = first
    for ended in _END.finditer(text, first, last):
        yield _first_line(text, upto, ended.start()), ended.end()
        upto = ended.end()


def _first_line(text: str, least: int, end: int) -> int:
    """Go back over whole lines that may be a key's; the first of them may be half a line."""
    start = text.rfind("\n", least, end) + 1 or least
    if not text[start:end].strip(" \t>|"):
        end = start
    line = _LAST_LINE
    while start > least:
        before = text.rfind("\n", least, start - 1) + 1 or least
        if not line.fullmatch(text, before, start - 1):
            break
        start, line = before, KEY_LINE
    return min(start, end)


def after_key_lines(text: str, most: int) -> int:
    """Give where the first line begins that cannot be one of a key, at most so far from the start.

    Why a bound: a program may print nothing but base64, and a key is never that long.
    """
    start = 0
    while start < most:
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        if not KEY_LINE.fullmatch(text, start, end):
            break
        start = min(end + 1, len(text))
    return start
