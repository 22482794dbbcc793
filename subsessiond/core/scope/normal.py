"""Brings patterns and paths into their lexical normal form, without a look at the disk.

Owns dot segments, double slashes, the limits on a pattern, and the brace-free alternatives a
pattern stands for. The workspace is the empty path; what leads out of it is refused.
"""

import math
from functools import lru_cache
from itertools import product
from typing import Final

from subsessiond.core.scope.reading import (
    DEEP,
    SLASH,
    Braces,
    Deep,
    Misspelled,
    PatternFault,
    Piece,
    Pieces,
    Slash,
    joined,
    read,
)
from subsessiond.core.scope.spelling import escape, spell
from subsessiond.core.scope.symbols import ANY_NAME, MANY, Atom, Chars, Glob, Path, Segment

MAX_BYTES: Final = 512
MAX_ALTERNATIVES: Final = 64

_HERE: Final[Pieces] = (".",)
_UP: Final[Pieces] = ("..",)


def normal_text(text: str, *, fold_case: bool) -> str | PatternFault:
    """Bring a pattern into its normal form and check all it can mean; see `parse_pattern`."""
    if fault := _text_fault(text):
        return fault
    try:
        normal = spell(_resolved(read(text, fold_case=fold_case)))
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
        resolved = _resolved(joined(pieces[:-1]))
    except Misspelled as misspelled:
        return PatternFault(str(misspelled))
    names = [piece for piece in resolved if isinstance(piece, str)]
    return (
        "/".join(names) if names else PatternFault("names the workspace itself, not a file in it")
    )


def _text_fault(text: str) -> PatternFault | None:
    if not text:
        return PatternFault("is empty")
    if "\0" in text:
        return PatternFault("contains a NUL")
    if any("\ud800" <= char <= "\udfff" for char in text):
        return PatternFault("contains half of a surrogate pair, which is no character")
    return _size_fault(text)


def _size_fault(text: str) -> PatternFault | None:
    size = len(text.encode())
    return (
        PatternFault(f"is {size} bytes, over the {MAX_BYTES} allowed") if size > MAX_BYTES else None
    )


def _segments(pieces: Pieces) -> list[Pieces]:
    segments: list[list[Piece]] = [[]]
    for piece in pieces:
        if isinstance(piece, Slash):
            segments.append([])
        else:
            segments[-1].append(piece)
    return [tuple(segment) for segment in segments]


def _resolved(pieces: Pieces) -> Pieces:
    """Take dot segments and empty ones out; a slash at the end means all that lies under.

    Raises:
        Misspelled: it is absolute, leads out of the workspace, or goes up from `**`.
    """
    first, *others = _segments(pieces)
    if not first and others:
        raise Misspelled("is absolute and not in the workspace")
    kept: list[Pieces] = []
    for segment in (first, *others):
        if segment == _UP:
            _go_up(kept)
        elif segment not in ((), _HERE):
            kept.append(segment)
    if not kept or (others and not others[-1] and kept[-1] != (DEEP,)):
        kept.append((DEEP,))
    return tuple(piece for segment in kept for piece in (SLASH, *segment))[1:]


def _go_up(kept: list[Pieces]) -> None:
    if not kept:
        raise Misspelled("leaves the workspace")
    if kept[-1] == (DEEP,):
        raise Misspelled("goes up from **, which has no one place above it")
    if kept[-1] == _UP or any(isinstance(piece, Braces) for piece in kept[-1]):
        # Why: each alternative may go up from somewhere else; it is resolved when they are apart.
        kept.append(_UP)
    else:
        kept.pop()


@lru_cache(maxsize=4096)
def alternatives_of(normal: str) -> tuple[Path, ...]:
    """List the brace-free paths a normal text stands for, in the order written, none twice.

    Raises:
        Misspelled: too many, or one of them is no path of the workspace.
    """
    pieces = read(normal, fold_case=False)
    if (count := _count(pieces)) > MAX_ALTERNATIVES:
        raise Misspelled(f"has {count} brace alternatives, over the {MAX_ALTERNATIVES} allowed")
    return tuple(dict.fromkeys(_path(option) for option in _options(pieces)))


def expand(normal: str) -> tuple[str, ...]:
    """Write the brace-free alternatives of a normal text as normal texts of their own."""
    pieces = read(normal, fold_case=False)
    return tuple(dict.fromkeys(spell(option) for option in _options(pieces)))


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
    segments = _segments(read(normal, fold_case=False))
    names: list[str] = []
    for segment in segments:
        match segment:
            case (str(name),):
                names.append(name)
            case _:
                break
    return tuple(names), segments[len(names) :]


def _count(pieces: Pieces) -> int:
    choices = (piece.options for piece in pieces if isinstance(piece, Braces))
    return math.prod(sum(_count(option) for option in options) for options in choices)


def _options(pieces: Pieces) -> list[Pieces]:
    """List the alternatives of a pattern, each in its normal form."""
    options = _expanded(pieces)
    if () in options:
        raise Misspelled("has an alternative that is empty")
    return [_resolved(_with_plain_stars(joined(option))) for option in options]


def _expanded(pieces: Pieces) -> list[Pieces]:
    choices: list[list[Pieces]] = []
    for piece in pieces:
        if isinstance(piece, Braces):
            choices.append([one for option in piece.options for one in _expanded(option)])
        else:
            choices.append([(piece,)])
    return [tuple(p for part in chosen for p in part) for chosen in product(*choices)]


def _with_plain_stars(pieces: Pieces) -> Pieces:
    """Join stars that became neighbours, and take `**` for `*` where it is not a whole segment."""
    segments = (one if one == (DEEP,) else _with_one_star(one) for one in _segments(pieces))
    return tuple(piece for segment in segments for piece in (SLASH, *segment))[1:]


def _with_one_star(segment: Pieces) -> Pieces:
    done: list[Piece] = []
    for piece in segment:
        plain = MANY if isinstance(piece, Deep) else piece
        if plain is not MANY or done[-1:] != [MANY]:
            done.append(plain)
    return tuple(done)


def _path(option: Pieces) -> Path:
    """Compile one alternative.

    A match covers what lies under it, except where the last segment is a wildcard with an
    extension: `*.py` names files, and a claim on them says nothing of folders of such a name.
    """
    path: list[Segment] = []
    for segment in _segments(option):
        compiled = _segment(segment)
        if compiled is not MANY or path[-1:] != [MANY]:
            path.append(compiled)
    if not (isinstance(path[-1], Glob) and path[-1].names_files) and path[-1] is not MANY:
        path.append(MANY)
    everything = path in ([ANY_NAME, MANY], [MANY, ANY_NAME, MANY])
    return (MANY,) if everything else tuple(path)


def _segment(pieces: Pieces) -> Segment:
    match pieces:
        case (str(name),):
            return name
        case (Deep(),):
            return MANY
    return _glob(pieces)


@lru_cache(maxsize=4096)
def _glob(pieces: Pieces) -> Glob:
    atoms: list[Atom] = []
    for piece in pieces:
        match piece:
            case str():
                atoms.extend(piece)
            case Chars():
                atoms.append(piece)
            case _:
                atoms.append(MANY)
    head = _literal_run(atoms)
    tail = _literal_run(atoms[::-1])[::-1]
    is_plain = MANY in atoms and len(atoms) == len(head) + len(tail) + 1
    return Glob(tuple(atoms), head, tail, spell(pieces), is_plain)


def _literal_run(atoms: list[Atom]) -> str:
    run = ""
    for atom in atoms:
        if not isinstance(atom, str):
            break
        run += atom
    return run
