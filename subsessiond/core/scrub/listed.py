"""Values that the operator named as secret, as they may stand in a text."""

import base64
import re
from collections.abc import Callable, Iterator
from typing import Final

from subsessiond.core.scrub.spans import Span

SHORTEST: Final = 6
"""Characters; a shorter value would be found in the middle of ordinary words."""

LONGEST: Final = 8_192
"""Characters; of a longer value only its beginning is looked for."""

_ALPHABET: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=")
_HIDDEN_BY: Final = (0, 2, 3)
"""First characters of base64 that hold bits of 0, 1 or 2 bytes before the value."""

Form = tuple[str, bool]
"""A spelling of a value, and whether it is base64, whose edges hold bits of its neighbours."""


def usable(value: str) -> bool:
    """Tell whether a value is long enough to be looked for."""
    return len(value.strip()) >= SHORTEST


def forms_of(value: str) -> tuple[Form, ...]:
    """Give the spellings of a value: plain, as JSON writes it, and base64 at every alignment."""
    plain = value.strip()[:LONGEST]
    raw = plain.encode(errors="surrogatepass")
    escaped = plain.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    coded = [_core(raw, before, encode) for before in range(3) for encode in _ENCODERS]
    return tuple(dict.fromkeys([(plain, False), (escaped, False), *((c, True) for c in coded)]))


_ENCODERS: Final = (base64.b64encode, base64.urlsafe_b64encode)


def _core(raw: bytes, before: int, encode: Callable[[bytes], bytes]) -> str:
    """Encode a value that stands after so many bytes, without what its neighbours share."""
    coded = encode(b"\0" * before + raw).decode()
    return coded[_HIDDEN_BY[before] : (before + len(raw)) * 8 // 6]


def find_listed(text: str, forms: tuple[Form, ...]) -> Iterator[Span]:
    """Find every spelling, also where they overlap."""
    for form, coded in forms:
        at = text.find(form)
        while at >= 0:
            yield _edges(text, at, at + len(form)) if coded else (at, at + len(form))
            at = text.find(form, at + 1)


_BROKEN: Final = re.compile(
    r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}+"
    r"(?:[ \t]{0,4}(?:\r?\n|\\r\\n|\\n)[ \t>|]{0,16}[A-Za-z0-9+/_=-]++)++",
    re.ASCII,
)
"""Base64 over several lines, as it is or as JSON writes it."""

_BREAK: Final = re.compile(r"[ \t]{0,4}(?:\r?\n|\\r\\n|\\n)[ \t>|]{0,16}", re.ASCII)


def find_broken(text: str, forms: tuple[Form, ...]) -> Iterator[Span]:
    """Find values in base64 that goes over several lines."""
    coded = tuple(form for form in forms if form[1])
    if not coded:
        return
    for found in _BROKEN.finditer(text):
        whole, places = _mended(text, *found.span())
        for start, end in find_listed(whole, coded):
            yield places[start], places[end - 1] + 1


def _mended(text: str, start: int, end: int) -> tuple[str, list[int]]:
    """Take the breaks out; gives what is left, and where each of its characters stood."""
    places: list[int] = []
    for gap in _BREAK.finditer(text, start, end):
        places += range(start, gap.start())
        start = gap.end()
    places += range(start, end)
    return "".join(text[at] for at in places), places


def _edges(text: str, start: int, end: int) -> Span:
    """Take the characters that hold half of the value's bits too."""
    if text[start - 1 : start] in _ALPHABET:
        start -= 1
    if text[end : end + 1] in _ALPHABET:
        end += 1
    while text[end : end + 1] == "=":
        end += 1
    return start, end


def begun_before(text: str, forms: tuple[Form, ...]) -> int:
    """Count the characters at the start of a text that are the end of a value cut in two."""
    most = 0
    for form, _ in forms:
        for length in range(min(len(form) - 1, len(text)), most, -1):
            if text.startswith(form[len(form) - length :]):
                most = length
                break
    return most
