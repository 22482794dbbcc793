"""Bytes made into pieces of text that end with a line, however they were chunked."""

import codecs
from typing import Final

PIECE_CHARACTERS: Final = 64 * 1024
"""Characters of a piece; a longer line is several pieces."""

WORD_CHARACTERS: Final = 8 * 1024
"""How far back a blank is looked for where a line is split."""


class Stream:
    """One kind of bytes of one child."""

    def __init__(self) -> None:
        # Why these marks: a transcript shows what came, also where it is no text.
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
        self._rest = ""
        self._skips = False

    def feed(self, data: bytes) -> list[tuple[str, bool]]:
        """Take bytes; give the pieces they complete, each with whether its line goes on."""
        if self._skips:
            _, found, data = data.partition(b"\n")
            self._skips = not found
        text = self._rest + self._decoder.decode(data)
        upto = text.rfind("\n") + 1
        if len(text) - upto > PIECE_CHARACTERS:
            upto = _at_blank(text, upto, len(text))
        self._rest = text[upto:]
        return in_pieces(text[:upto], more=not text[:upto].endswith("\n"))

    def break_off(self) -> int:
        """Forget the line under way, and skip what may be the rest of it: there is a hole between.

        Why: of a secret that was lost in part nothing may be kept; it could not be told any more.

        Returns:
            How many bytes of it had come.
        """
        count = len(self._rest.encode())
        self._decoder.reset()
        self._rest, self._skips = "", True
        return count

    def end(self) -> list[tuple[str, bool]]:
        """Give what is left, as a line."""
        text = self._rest + self._decoder.decode(b"", final=True)
        self._rest = ""
        return in_pieces(text, more=False)


def _at_blank(text: str, start: int, end: int) -> int:
    """Give a place for a cut behind the last blank near the end, so that no word is cut in two."""
    blank = text.rfind(" ", max(start, end - WORD_CHARACTERS), end) + 1
    return blank if blank > start else end


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
        end = end if whole else _at_blank(text, start, start + PIECE_CHARACTERS)
        done.append((text[start:end], not whole))
        start = end
    if start < len(text):
        done.append((text[start:], more))
    return done
