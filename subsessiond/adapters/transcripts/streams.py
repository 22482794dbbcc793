"""Bytes made into pieces of text that end with a line, however they were chunked."""

import codecs
from typing import Final

PIECE_CHARACTERS: Final = 64 * 1024
"""Characters of a piece; a longer line is several pieces."""


class Stream:
    """One kind of bytes of one child."""

    def __init__(self) -> None:
        # Why these marks: a transcript shows what came, also where it is no text.
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
        self._rest = ""

    def feed(self, data: bytes) -> list[tuple[str, bool]]:
        """Take bytes; give the pieces they complete, each with whether its line goes on."""
        text = self._rest + self._decoder.decode(data)
        upto = text.rfind("\n") + 1
        if len(text) - upto > PIECE_CHARACTERS:
            upto = len(text)
        self._rest = text[upto:]
        return in_pieces(text[:upto], more=not text[:upto].endswith("\n"))

    def end(self) -> list[tuple[str, bool]]:
        """Give what is left, as a line."""
        text = self._rest + self._decoder.decode(b"", final=True)
        self._rest = ""
        return in_pieces(text, more=False)


def in_pieces(text: str, *, more: bool) -> list[tuple[str, bool]]:
    """Split a text into pieces; whole lines stay together where they fit.

    Args:
        text: The text.
        more: Whether the last line of it goes on.
    """
    done: list[tuple[str, bool]] = []
    start = 0
    while len(text) - start > PIECE_CHARACTERS:
        end = text.rfind("\n", start, start + PIECE_CHARACTERS) + 1
        whole = end > start
        end = end if whole else start + PIECE_CHARACTERS
        done.append((text[start:end], not whole))
        start = end
    if start < len(text):
        done.append((text[start:], more))
    return done
