"""Takes the braces of a pattern apart and compiles what is left into sequences of segments."""

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
    Piece,
    Pieces,
    joined,
    read,
)
from subsessiond.core.scope.resolve import resolved, segments_of
from subsessiond.core.scope.spelling import spell
from subsessiond.core.scope.symbols import ANY_NAME, MANY, Atom, Chars, Glob, Path, Segment

MAX_ALTERNATIVES: Final = 64


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


def expanded(normal: str) -> tuple[str, ...]:
    """Write the brace-free alternatives of a normal text as normal texts of their own."""
    pieces = read(normal, fold_case=False)
    return tuple(dict.fromkeys(spell(option) for option in _options(pieces)))


def _count(pieces: Pieces) -> int:
    choices = (piece.options for piece in pieces if isinstance(piece, Braces))
    return math.prod(sum(_count(option) for option in options) for options in choices)


def _options(pieces: Pieces) -> list[Pieces]:
    """List the alternatives of a pattern, each in its normal form."""
    options = _expanded(pieces)
    if () in options:
        raise Misspelled("has an alternative that is empty")
    return [resolved(_with_plain_stars(joined(option))) for option in options]


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
    segments = (one if one == (DEEP,) else _with_one_star(one) for one in segments_of(pieces))
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
    path = [_segment(segment) for segment in segments_of(option)]
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
    run, rest = "", iter(atoms)
    while isinstance(atom := next(rest, MANY), str):
        run += atom
    return run
