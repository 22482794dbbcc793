"""Takes dot segments and empty ones out of a pattern or a path, without a look at the disk.

The workspace is the empty path; what leads out of it is refused.
"""

from typing import Final

from subsessiond.core.scope.reading import DEEP, SLASH, Braces, Misspelled, Piece, Pieces, Slash

_HERE: Final[Pieces] = (".",)
_UP: Final[Pieces] = ("..",)
_DEEP: Final[Pieces] = (DEEP,)


def segments_of(pieces: Pieces) -> list[Pieces]:
    """Split pieces at their slashes; between two slashes there is an empty segment."""
    segments: list[list[Piece]] = [[]]
    for piece in pieces:
        if isinstance(piece, Slash):
            segments.append([])
        else:
            segments[-1].append(piece)
    return [tuple(segment) for segment in segments]


def resolved(pieces: Pieces) -> Pieces:
    """Take out dots, empty segments and repeated `**`; a last slash means all that lies under.

    Raises:
        Misspelled: it is absolute, leads out of the workspace, or goes up from `**`.
    """
    first, *others = segments_of(pieces)
    if not first and others:
        raise Misspelled("is absolute and not in the workspace")
    kept: list[Pieces] = []
    for segment in (first, *others):
        if segment == _UP:
            _go_up(kept)
        elif segment not in ((), _HERE) and (segment != _DEEP or kept[-1:] != [_DEEP]):
            kept.append(segment)
    if not kept or (others and not others[-1] and kept[-1] != _DEEP):
        kept.append(_DEEP)
    return tuple(piece for segment in kept for piece in (SLASH, *segment))[1:]


def _go_up(kept: list[Pieces]) -> None:
    if not kept:
        raise Misspelled("leaves the workspace")
    if kept[-1] == _DEEP:
        raise Misspelled("goes up from **, which has no one place above it")
    if kept[-1] == _UP or any(isinstance(piece, Braces) for piece in kept[-1]):
        # Why: each alternative may go up from somewhere else; it is resolved when they are apart.
        kept.append(_UP)
    else:
        kept.pop()
