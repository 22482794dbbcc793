"""Credentials in addresses: before the host, and in the query."""

import re
from collections.abc import Iterator
from typing import Final

from subsessiond.core.scrub.spans import Span

_USER: Final = re.compile(
    r"://([^\s/:@\"'<>\[\]]{0,128}+):(?![0-9]{1,5}(?:[/?#\s]|\Z))"
    r"((?:[^\s/\"'<>]|/(?!/)){1,256}@)"
)
_ALONE: Final = re.compile(r"://([A-Za-z0-9._~%+-]{20,256}+)@")
_QUERY: Final = re.compile(
    r"[?&;#](?:[A-Za-z0-9_.\[\]-]{0,40}?[_.-])?(?:api_?-?key|key|token|secret|sig|signature|password|"
    r"passwd|pwd|auth|credential|assertion|code|jwt|session)\]?=([^&\s\"'<>#\\;]++)",
    re.IGNORECASE | re.ASCII,
)
_JOINED: Final = re.compile(
    r"[?&;#](?:access|auth|client|refresh|id|api|app|x)?(?:token|secret|key|signature)"
    r"=([^&\s\"'<>#\\;]++)",
    re.IGNORECASE | re.ASCII,
)


def find_urls(text: str) -> Iterator[Span]:
    """Find passwords and keys in addresses; user, host and the names of a query stay."""
    for found in _USER.finditer(text):
        yield found.start(2), found.end(2) - 1
    yield from (found.span(1) for found in _ALONE.finditer(text))
    for query in (_QUERY, _JOINED):
        yield from (found.span(1) for found in query.finditer(text))
