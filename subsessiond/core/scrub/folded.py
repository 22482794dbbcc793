"""Values that stand below the name that says secret: in YAML, and where long JSON is broken."""

import re
from collections.abc import Iterator
from typing import Final

from subsessiond.core.scrub.names import AFTER, WORDS, names_secret
from subsessiond.core.scrub.pairs import end_of_value
from subsessiond.core.scrub.spans import Span

_NAME: Final = re.compile(
    rf"({WORDS}){AFTER}([\"']?)\]?[ \t]{{0,4}}(=>|:=|[=:])[ \t]{{0,4}}([|>][+-]?[0-9]?)?"
    r"[ \t]{0,8}\r?\n([ \t]{1,64}+)([\"']?)(?=\S)",
    re.IGNORECASE | re.ASCII,
)
"""The name at the end of its line, a sign that a block follows, and how far the value is moved."""

_ALONE: Final = re.compile(r"(?![\[{#])\S*+(?<!:)[ \t]{0,8}(?=[\r\n]|\Z)")
"""One word that has a line for itself; of several nobody knows whether they are a sentence."""

_MARGIN: Final = re.compile(r"[ \t]{0,64}")


def find_folded(text: str) -> Iterator[Span]:
    """Find values of secret names on the line below, moved to the right as what belongs to them."""
    upto = 0
    while word := _NAME.search(text, upto):
        upto = at = word.end()
        if not names_secret(text, word, word[3], at, quoted=bool(word[2])):
            continue
        if len(word[5]) <= _margin_of(text, word.start()):
            continue
        upto = max(at, _end_of(text, at, word))
        yield at, upto


def _margin_of(text: str, at: int) -> int:
    """Give how far the line is moved in which a name stands."""
    found = _MARGIN.match(text, text.rfind("\n", 0, at) + 1)
    return len(found[0]) if found else 0


def _end_of(text: str, at: int, word: re.Match[str]) -> int:
    if word[6]:
        return end_of_value(text, at, word[6])
    if word[4]:
        return _end_of_block(text, at, word[5])
    alone = _ALONE.match(text, at)
    return len(text[at : alone.end()].rstrip()) + at if alone else at


def _end_of_block(text: str, at: int, margin: str) -> int:
    """Give where the last line ends that is moved as far as the first one."""
    end = _end_of_line(text, at)
    while text.startswith(margin, end + 1):
        end = _end_of_line(text, end + 1)
    return end


def _end_of_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end
