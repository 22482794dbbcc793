"""Brings the texts of patterns and paths into their lexical normal form, or says why it cannot.

Owns the limits on a text and what the edge needs to resolve links: the literal prefix.
"""

from typing import Final

from subsessiond.core.scope.alternatives import alternatives_of
from subsessiond.core.scope.reading import (
    SLASH,
    Misspelled,
    PatternFault,
    Piece,
    Pieces,
    joined,
    read,
)
from subsessiond.core.scope.resolve import resolved, segments_of
from subsessiond.core.scope.spelling import escape, spell

MAX_BYTES: Final = 512


def normal_text(text: str, *, fold_case: bool) -> str | PatternFault:
    """Bring a pattern into its normal form and check all it can mean; see `parse_pattern`."""
    if fault := _text_fault(text):
        return fault
    try:
        normal = spell(resolved(read(text, fold_case=fold_case)))
        alternatives_of(normal)
    except Misspelled as misspelled:
        return PatternFault(str(misspelled))
    return _size_fault(normal) or normal


def normal_path(text: str, *, fold_case: bool = False) -> str | PatternFault:
    """Bring the path of one file, in which nothing is magic, into the form `covers` compares."""
    if fault := _text_fault(text):
        return fault
    pieces: list[Piece] = []
    for name in text.split("/"):
        pieces += [name.casefold() if fold_case else name, SLASH] if name else [SLASH]
    try:
        pieces_left = resolved(joined(pieces[:-1]))
    except Misspelled as misspelled:
        return PatternFault(str(misspelled))
    names = [piece for piece in pieces_left if isinstance(piece, str)]
    return (
        "/".join(names) if names else PatternFault("names the workspace itself, not a file in it")
    )


def _text_fault(text: str) -> PatternFault | None:
    if not text:
        return PatternFault("is empty")
    if "\0" in text:
        return PatternFault("contains a NUL")
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        return PatternFault("contains half of a surrogate pair, which is no character")
    return _size_fault(text)


def _size_fault(text: str) -> PatternFault | None:
    size = len(text.encode())
    return (
        PatternFault(f"is {size} bytes, over the {MAX_BYTES} allowed") if size > MAX_BYTES else None
    )


def literal_prefix(text: str) -> tuple[str, ...]:
    """Return the leading segments without magic, as names; none for what is no pattern."""
    normal = normal_text(text, fold_case=False)
    return () if isinstance(normal, PatternFault) else _split(normal)[0]


def with_prefix(text: str, prefix: tuple[str, ...]) -> str:
    """Put other names in place of the literal prefix of a pattern, as where it leads on disk.

    Raises:
        ValueError: the text is no pattern; ask `parse_pattern` first.
    """
    normal = normal_text(text, fold_case=False)
    match normal:
        case PatternFault(reason):
            raise ValueError(reason)
    rest = (spell(segment) for segment in _split(normal)[1])
    return "/".join((*(escape(name) for name in prefix), *rest)) or "."


def _split(normal: str) -> tuple[tuple[str, ...], list[Pieces]]:
    """Cut a normal text behind its last leading segment without magic."""
    segments = segments_of(read(normal, fold_case=False))
    names: list[str] = []
    for segment in segments:
        match segment:
            case (str(name),):
                names.append(name)
            case _:
                break
    return tuple(names), segments[len(names) :]
