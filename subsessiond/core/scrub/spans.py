"""Places in a text: how they are joined, and how they are replaced."""

from collections.abc import Iterable
from typing import Final

Span = tuple[int, int]
"""Where something begins and where it has ended, in characters."""

MARK: Final = "[removed]"
"""Stands for what was taken out. It holds nothing that any rule looks for."""


def joined(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Give the same places in order, those that overlap or touch as one."""
    done: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if done and start <= done[-1][1]:
            done[-1] = (done[-1][0], max(done[-1][1], end))
        else:
            done.append((start, end))
    return tuple(done)


def replaced_in_pieces(pieces: tuple[str, ...], spans: Iterable[Span]) -> tuple[str, ...]:
    """Put marks into a text that lies in pieces; what reaches over several is marked in the first.

    Args:
        pieces: The text.
        spans: Places in all pieces joined, in order and apart.
    """
    waiting = list(reversed(tuple(spans)))
    done: list[str] = []
    first = 0
    for piece in pieces:
        last = first + len(piece)
        parts: list[str] = []
        upto = first
        while waiting and waiting[-1][0] < last:
            start, end = waiting.pop()
            parts.append(piece[upto - first : max(start, upto) - first])
            if start >= first:
                parts.append(MARK)
            upto = min(end, last)
            if end > last:
                waiting.append((start, end))
                break
        done.append("".join((*parts, piece[upto - first :])))
        first = last
    return tuple(done)
