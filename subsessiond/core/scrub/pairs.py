"""Values of names that say secret: assignments, tables, options, lines of an environment."""

import re
from collections.abc import Iterator
from typing import Final

from subsessiond.core.scrub.names import AFTER, WORDS, is_trivial, names_secret
from subsessiond.core.scrub.spans import Span

_NAME: Final = re.compile(
    rf"({WORDS}){AFTER}(\\{{0,4}}[\"'])?\]?[ \t]{{0,4}}(=>|:=|[=:])[ \t]{{0,4}}(\\{{0,4}}[\"'])?",
    re.IGNORECASE | re.ASCII,
)
"""The end of a name, what stands between it and its value, and the quote that opens the value."""

_OPTION: Final = re.compile(
    rf"(?<![\w-])--?(?:[A-Za-z0-9]{{1,16}}-){{0,3}}({WORDS})[ \t]{{1,4}}(\\{{0,4}}[\"'])?(?!-)",
    re.IGNORECASE | re.ASCII,
)
_LINE: Final = re.compile(
    r"^[ \t]{0,16}(?:export[ \t]{1,4}|declare -x[ \t]{1,4}|set[ \t]{1,4})?"
    rf"[A-Z0-9_]{{0,80}}?({WORDS.upper()}){AFTER.upper()}="
    r"[ \t]{0,4}([\"']?+)([^\r\n]*+)",
    re.MULTILINE | re.ASCII,
)

_BARE: Final = re.compile(
    r"(?:[^\s\"'\\&;,]|\\(?![\"'nrt])|[&;,](?![ ]?[\w.-]{1,40}=)(?![ \t\r\n]|\Z))*+"
)
"""A value without quotes: to the next blank or quote, or to a separator and the next name."""

_IN_DOUBLE: Final = re.compile(r"(?:[^\"\\\n]|\\.)*+")
_IN_SINGLE: Final = re.compile(r"(?:[^'\\\n]|\\.)*+")
_IN_ESCAPED: Final = re.compile(r"(?:[^\"'\\\n]|\\(?![\"']))*+")


def find_pairs(text: str) -> Iterator[Span]:
    """Find values that are given to secret names."""
    upto = 0
    while word := _NAME.search(text, upto):
        at = word.end()
        upto = at
        if names_secret(text, word, word[3], at, quoted=word[2] is not None):
            upto = max(at, end_of_value(text, at, word[4]))
            yield at, upto
    for option in _OPTION.finditer(text):
        if not is_trivial(text, option.end()):
            yield option.end(), end_of_value(text, option.end(), option[2])
    for line in _LINE.finditer(text):
        if names_secret(text, line, "=", line.start(3), quoted=False):
            yield line.start(2), line.end()


def end_of_value(text: str, at: int, quote: str | None) -> int:
    """Give where a value ends, by the quote that opened it."""
    if quote is None:
        shape = _BARE
    elif len(quote) > 1:
        shape = _IN_ESCAPED
    else:
        shape = _IN_DOUBLE if quote == '"' else _IN_SINGLE
    found = shape.match(text, at)
    return found.end() if found else at
