"""Reads the text of a pattern into pieces.

Owns the grammar: what is magic, what an escape does, which spellings are refused. Knows nothing of
dot segments; see `resolve`.
"""

import re
import unicodedata
from typing import Final, TypeAlias

from msgspec import Struct

from subsessiond.core.scope.symbols import ANY_CHAR, MANY, Chars, Many, Span, complement, union

MAX_NESTING: Final = 16
"""Braces within braces; nobody writes four, and the reader recurses."""


class PatternFault(Struct, frozen=True):
    """Why a text is not a pattern of the workspace."""

    reason: str
    """A sentence without its subject, to stand behind the name of the field."""


class Misspelled(Exception):
    """Carries a reason out of the reader; never leaves the package."""


class Slash(Struct, frozen=True):
    """The separator of segments."""


class Deep(Struct, frozen=True):
    """Two stars that stand alone between separators."""


class Braces(Struct, frozen=True):
    """A choice between sequences of pieces."""

    options: tuple["Pieces", ...]


Piece: TypeAlias = str | Chars | Many | Slash | Deep | Braces
"""A run of literal characters, or one piece of magic."""
Pieces: TypeAlias = tuple[Piece, ...]

_PLAIN: Final = re.compile(r"[^/*?\[{\\,}]+")
"""A run of characters without magic anywhere: most of every pattern, and taken at once."""

SLASH: Final = Slash()
DEEP: Final = Deep()


def read(text: str, *, fold_case: bool) -> Pieces:
    """Read a whole pattern.

    Raises:
        Misspelled: the text breaks the grammar.
    """
    reader = _Reader(unicodedata.normalize("NFC", text), fold_case=fold_case)
    return reader.pieces(depth=0)


def joined(pieces: list[Piece] | Pieces) -> Pieces:
    """Join neighbouring literal runs and bring them into Unicode normal form C."""
    done: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, str) and done and isinstance(done[-1], str):
            done[-1] += piece
        else:
            done.append(piece)
    return tuple(
        unicodedata.normalize("NFC", piece) if isinstance(piece, str) else piece for piece in done
    )


class _Reader:
    """A place in a text and the reading on from there."""

    def __init__(self, text: str, *, fold_case: bool) -> None:
        self._text = text
        self._fold_case = fold_case
        self._at = 0

    def pieces(self, depth: int) -> Pieces:
        """Read up to the end of the text or, within braces, up to what ends the option."""
        found: list[Piece] = []
        while (char := self._peek()) and not (depth and char in ",}"):
            self._at += 1
            match char:
                case "/":
                    found.append(SLASH)
                case "*":
                    found.append(self._stars(depth))
                case "?":
                    found.append(ANY_CHAR)
                case "[":
                    found.append(self._class())
                case "{":
                    found.append(self._braces(depth + 1))
                case "\\":
                    found.append(self._folded(self._escaped()))
                case _:
                    found.append(self._folded(char + self._plain()))
        return joined(found)

    def _plain(self) -> str:
        """Take all that is plain from here on."""
        run = _PLAIN.match(self._text, self._at)
        self._at = run.end() if run else self._at
        return run[0] if run else ""

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self, unfinished: str) -> str:
        if not (char := self._peek()):
            raise Misspelled(unfinished)
        self._at += 1
        return char

    def _folded(self, char: str) -> str:
        return char.casefold() if self._fold_case else char

    def _escaped(self) -> str:
        char = self._take("ends in a lone backslash")
        if char == "/":
            raise Misspelled("escapes a slash, which no name can hold")
        return char

    def _stars(self, depth: int) -> Many | Deep:
        """Read the rest of a run of stars; only two that may stand alone can cross segments.

        Next to braces that is known when they are taken apart.
        """
        start = self._at - 1
        while self._peek() == "*":
            self._at += 1
        before, after = self._text[start - 1 : start] if start else "/", self._peek() or "/"
        opens, closes = ("/}{,", "/{},") if depth else ("/}", "/{")
        alone = before in opens and after in closes
        return DEEP if alone and self._at - start == 2 else MANY  # noqa: PLR2004

    def _braces(self, depth: int) -> Braces:
        if depth > MAX_NESTING:
            raise Misspelled(f"nests braces deeper than {MAX_NESTING}")
        options = [self.pieces(depth)]
        while self._take("has a brace that is never closed") == ",":
            options.append(self.pieces(depth))
        if len(options) == 1:
            raise Misspelled("has braces without a comma; write \\{ for the character itself")
        return Braces(tuple(options))

    def _class(self) -> Chars | str:
        """Read a class; one of a single character is that character."""
        negated = self._peek() == "!"
        self._at += negated
        if self._peek() == "^":
            raise Misspelled(
                "has a class with ^; write [!...] to exclude, [\\^...] for the character"
            )
        spans = [self._span()]
        while self._peek() != "]":
            spans.append(self._span())
        self._at += 1
        chars = union(self._folded_spans(spans))
        chars = complement(chars) if negated else chars
        match chars.spans:
            case ():
                raise Misspelled("has a class that no character matches")
            case ((low, high),) if low == high:
                return chr(low)
        return chars

    def _span(self) -> Span:
        low = self._member()
        if self._peek() != "-" or self._text[self._at + 1 : self._at + 2] in ("]", ""):
            return low, low
        self._at += 1
        high = self._member()
        if high < low:
            raise Misspelled("has a class with a range that runs backwards")
        return low, high

    def _member(self) -> int:
        unfinished = "has a class that is never closed; write \\[ for the character itself"
        char = self._take(unfinished)
        if char == "\\":
            char = self._take(unfinished)
        elif char == "[" and self._peek() in (":", "=", "."):
            raise Misspelled("has a named class such as [:alpha:], which is not supported")
        if char == "/":
            raise Misspelled("has a class with a slash, which no name can hold")
        return ord(char)

    def _folded_spans(self, spans: list[Span]) -> tuple[Span, ...]:
        if not self._fold_case:
            return tuple(spans)
        if sum(high - low for low, high in spans) > _MAX_FOLDED:
            raise Misspelled("has a class too wide to be compared without regard to case")
        return tuple(
            (point, point)
            for low, high in spans
            for point in (_folded_point(plain) for plain in range(low, high + 1))
        )


_MAX_FOLDED: Final = 4_096
"""Characters of one class folded one by one: more than any alphabet has letters."""


def _folded_point(point: int) -> int:
    """Fold one character; one that folds to several is in no folded name and stays as it is."""
    folded = chr(point).casefold()
    return ord(folded) if len(folded) == 1 else point
