"""Writes pieces as the text that reads as the same pieces: one spelling for one pattern."""

import unicodedata
from typing import Final

from subsessiond.core.scope.reading import Deep, Piece, Pieces, Slash
from subsessiond.core.scope.symbols import ANY_CHAR, LAST_CODE_POINT, Chars, Many, complement

_MAGIC: Final = frozenset("*?[{\\")
_MAGIC_IN_BRACES: Final = _MAGIC | frozenset(",}")
_MAGIC_IN_CLASS: Final = frozenset("[]\\!^-")


def spell(pieces: Pieces, *, in_braces: bool = False) -> str:
    """Write pieces as text, escaping what would be read as magic and nothing else."""
    return "".join(_spell_piece(piece, in_braces=in_braces) for piece in pieces)


def escape(name: str) -> str:
    """Write a name so that it is read as that name and no magic."""
    return spell((name,))


def _spell_piece(piece: Piece, *, in_braces: bool) -> str:
    match piece:
        case str():
            return _spell_name(piece, _MAGIC_IN_BRACES if in_braces else _MAGIC)
        case Chars():
            return _spell_class(piece)
        case Many():
            return "*"
        case Slash():
            return "/"
        case Deep():
            return "**"
    return "{" + ",".join(spell(option, in_braces=True) for option in piece.options) + "}"


def _spell_name(name: str, magic: frozenset[str]) -> str:
    if magic.isdisjoint(name):
        return name
    return "".join("\\" + char if char in magic else char for char in name)


def _spell_class(chars: Chars) -> str:
    if chars == ANY_CHAR:
        return "?"
    sign = ""
    if LAST_CODE_POINT in chars.spans[-1] and _is_stable(rest := complement(chars)):
        sign, chars = "!", rest
    text = ""
    for low, high in chars.spans:
        text += _spell_member(low, text[-1:])
        text += "-" if high > low + 1 else ""
        text += _spell_member(high, text[-1:]) if high > low else ""
    return f"[{sign}{text}]"


def _is_stable(chars: Chars) -> bool:
    """Tell whether the ends of all spans survive normalisation, so that they can be written."""
    return all(unicodedata.is_normalized("NFC", chr(end)) for span in chars.spans for end in span)


def _spell_member(point: int, before: str) -> str:
    """Write a character of a class, escaped where it is magic or would join the one before."""
    char = chr(point)
    joins = not unicodedata.is_normalized("NFC", before + char)
    return "\\" + char if char in _MAGIC_IN_CLASS or joins else char
