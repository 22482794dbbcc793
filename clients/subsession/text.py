r"""Text of agents, made safe for a terminal: shown as text, never obeyed.

Owns escaping, display width and cutting. It knows nothing of what the text says.

Control bytes, bidirectional overrides and invisible characters come out as visible escapes
(`\x1b`, `\u202e`), so that a reader sees that they were there.
"""

import unicodedata
from collections.abc import Iterator

ELLIPSIS = "…"
_MARKS_PER_LETTER = 4
"""Real scripts stack two or three combining marks; more is a way to paint over other lines."""

_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
"""Characters of harmless categories that show nothing."""
_UNSAFE = frozenset(["Cc", "Cf", "Cs", "Co", "Zl", "Zp"])
"""Categories a terminal obeys or a reader cannot see: controls, bidirectional and joining marks,
surrogates, private characters, line and paragraph separators."""
_MARKS = frozenset(["Mn", "Me"])


def _escape(char: str) -> str:
    """Spell one character so that it can be seen."""
    return char.encode("unicode-escape").decode()


def _is_unsafe(char: str) -> bool:
    """Tell whether a terminal would obey this character, or a reader not see it."""
    return unicodedata.category(char) in _UNSAFE or char in _BLANKS


def _safe(text: str) -> Iterator[str]:
    """Give the characters of a text, or their escapes, one at a time."""
    marks = 0
    for char in text:
        if " " <= char <= "~":
            marks = 0
            yield char
        elif unicodedata.category(char) in _MARKS and char not in _BLANKS:
            marks += 1
            yield char if marks <= _MARKS_PER_LETTER else _escape(char)
        else:
            marks = 0
            yield _escape(char) if _is_unsafe(char) else char


def one_line(text: str) -> str:
    """Give a text as one line: white space becomes a blank, the rest is made safe."""
    return "".join(_safe(" ".join(text.split())))


def block(text: str) -> str:
    """Give a text of several lines: line ends stay, tabs become blanks, the rest is made safe."""
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join("".join(_safe(line.expandtabs(4))) for line in lines)


def _char_width(char: str) -> int:
    """Columns that one safe character takes: 0, 1 or 2."""
    if " " <= char <= "~":
        return 1
    if unicodedata.category(char) in _MARKS:
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def width(text: str) -> int:
    """Columns that a safe text takes on a terminal."""
    return sum(map(_char_width, text))


def cut(text: str, columns: int, ellipsis: str = ELLIPSIS) -> str:
    """Give at most `columns` columns of one line, made safe; what is left out is marked.

    Only as much of the text is looked at as can be shown, so that its length costs nothing.
    """
    # Why 8: a shown column costs at most one letter, its marks and a few blanks.
    safe = "".join(_safe(" ".join(text[: columns * 8 + 64].split())))
    if width(safe) <= columns and len(text) <= columns * 8 + 64:
        return safe
    room, kept = columns - width(ellipsis), []
    for char in safe:
        room -= _char_width(char)
        if room < 0:
            break
        kept.append(char)
    return ("".join(kept).rstrip() + ellipsis) if columns >= width(ellipsis) else ""


def cell(text: str, columns: int, ellipsis: str = ELLIPSIS) -> str:
    """Give a text cut and padded to exactly `columns` columns."""
    shown = cut(text, columns, ellipsis)
    return shown + " " * (columns - width(shown))
