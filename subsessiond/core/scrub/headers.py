"""Credentials of HTTP headers."""

import re
from collections.abc import Iterator
from typing import Final

from subsessiond.core.scrub.names import looks_secret
from subsessiond.core.scrub.pairs import end_of_value
from subsessiond.core.scrub.spans import MARK, Span

_HEADER: Final = re.compile(
    r"(?:(authorization)|(?:set-)?(cookie))(\\{0,4}[\"'])?[ \t]{0,4}[:=,][ \t]{0,4}(\\{0,4}[\"'])?"
    r"((?:bearer|basic|token|digest|negotiate|ntlm|apikey|aws4-hmac-sha256)[ \t]{1,4})?",
    re.IGNORECASE | re.ASCII,
)
_REST: Final = re.compile(r"(?:[^\r\n\"'\\]|\\(?![\"'nr]))*+")
"""A value without quotes: the rest of the line, or to the quote that the header stands in."""

_DIGEST_REST: Final = re.compile(r"[^\r\n]*+")
_SCHEME: Final = re.compile(r"\b(bearer|basic)[ \t]{1,4}([A-Za-z0-9._~+/=-]{6,}+)", re.IGNORECASE)
_LONG: Final = 20
_MIXED: Final = re.compile(r"[0-9=]|(?<=[a-z])[A-Z]")


def find_headers(text: str) -> Iterator[Span]:
    """Find what authorizes; the scheme stays, so that one sees what kind it was."""
    upto = 0
    while header := _HEADER.search(text, upto):
        at = header.end()
        upto = at
        if _is_credential(text, header, at):
            upto = _end_of(text, header, at)
            yield at, upto
    for found in _SCHEME.finditer(text):
        if len(found[2]) >= _LONG or _MIXED.search(found[2]):
            yield found.span(2)


def _is_credential(text: str, header: re.Match[str], at: int) -> bool:
    if text.startswith(MARK, at) or header[5] or header[4]:
        return True
    if header[2]:
        return "=" in text[at : at + 80].partition("\n")[0]
    return looks_secret(text, at)


def _end_of(text: str, header: re.Match[str], at: int) -> int:
    if header[4]:
        return end_of_value(text, at, header[4])
    scheme = (header[5] or "").strip().lower()
    rest = _DIGEST_REST if scheme in ("digest", "aws4-hmac-sha256") else _REST
    found = rest.match(text, at)
    return found.end() if found else at
