"""Reading tables of a configuration file, word by word: every fault says file, table and word."""

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Final, NoReturn, TypeVar

from subsessiond.ports import ConfigFault

Word = TypeVar("Word", bound=StrEnum)

LARGEST: Final = 2**53 - 1
"""The largest whole number that every JSON reader takes."""

TEXT_MOST: Final = 4_096
LIST_MOST: Final = 64
SHOWN_MOST: Final = 60
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")
NAME_WORDS: Final = "a name has 1 to 40 of A-Z a-z 0-9 _ . - and begins with a letter or digit"


class Table:
    """One table of a file.

    Args:
        file: name of the file, for faults.
        path: dotted name of the table; empty for the file itself.
        row: what stands there.

    Raises:
        ConfigFault: it is no table. Every method raises the same for what it finds wrong.
    """

    def __init__(self, file: str, path: str, row: Any) -> None:
        self._file = file
        self._path = path
        if not isinstance(row, dict):
            raise ConfigFault(f"{file}: [{path}]", "must be a table")
        self._row: dict[str, Any] = row

    def words(self) -> tuple[str, ...]:
        """Name what stands in it, sorted."""
        return tuple(sorted(self._row))

    def has(self, word: str) -> bool:
        """Tell whether a word is given."""
        return word in self._row

    def only(self, known: Iterable[str]) -> None:
        """Refuse every other word."""
        names = sorted(known)
        for word in self._row:
            if word not in names:
                self.refuse(word, f"there is no such word; known are {', '.join(names)}")

    def names(self) -> tuple[str, ...]:
        """Give the words as names that people chose, sorted; each is bounded and plain."""
        for word in self._row:
            if not NAME.fullmatch(word):
                self.refuse(_shown(word), NAME_WORDS)
        return self.words()

    def table(self, word: str) -> "Table":
        """Give a table inside; an empty one where it is left out."""
        path = f"{self._path}.{word}" if self._path else word
        return Table(self._file, path, self._row.get(word, {}))

    def whole(self, word: str, default: int, *, least: int = 0, most: int = LARGEST) -> int:
        """Give a whole number."""
        value = self._row.get(word, default)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            bounds = f"{least} or more" if most == LARGEST else f"from {least} to {most}"
            self.refuse(word, f"must be a whole number, {bounds}")
        return value

    def whole_or_unlimited(self, word: str, default: int | None) -> int | None:
        """Give a whole number, or none where "unlimited" is spelled."""
        if self._row.get(word, default) in ("unlimited", None):
            return None
        return self.whole(word, default or 0)

    def flag(self, word: str, *, default: bool) -> bool:
        """Give true or false."""
        value = self._row.get(word, default)
        if not isinstance(value, bool):
            self.refuse(word, "must be true or false")
        return value

    def text(self, word: str, default: str | None = None) -> str:
        """Give a text; one without a default must be there."""
        value = self._row.get(word, default)
        if value is None:
            self.refuse(word, "is missing")
        self._check_text(word, value)
        return str(value)

    def name(self, word: str, default: str | None = None) -> str:
        """Give the name of something."""
        value = self.text(word, default)
        if not NAME.fullmatch(value):
            self.refuse(word, NAME_WORDS)
        return value

    def choice(self, word: str, kind: type[Word], default: Word) -> Word:
        """Give one of the words there are."""
        value = self.text(word, default)
        if value not in tuple(kind):
            self.refuse(word, f"must be one of {', '.join(kind)}")
        return kind(value)

    def texts(self, word: str) -> tuple[str, ...]:
        """Give a list of texts; empty where it is left out."""
        value = self._row.get(word, [])
        if not isinstance(value, list) or len(value) > LIST_MOST:
            self.refuse(word, f"must be a list of at most {LIST_MOST} texts")
        for item in value:
            self._check_text(word, item)
        return tuple(value)

    def texts_or_text(self, word: str) -> tuple[str, ...]:
        """Give a list of texts, where one text alone stands for a list of it."""
        value = self._row.get(word)
        return (self.text(word),) if isinstance(value, str) else self.texts(word)

    def once(self, word: str) -> tuple[str, ...]:
        """Give a list of texts of which none stands there twice."""
        found = self.texts(word)
        for item in found:
            if found.count(item) > 1:
                self.refuse(word, f"{_shown(item)} stands there twice")
        return found

    def refuse(self, word: str, problem: str) -> NoReturn:
        """Say what is wrong with a word."""
        where = f"[{self._path}] {word}" if self._path else word
        raise ConfigFault(f"{self._file}: {where}", problem)

    def _check_text(self, word: str, value: object) -> None:
        if not isinstance(value, str) or "\0" in value or len(value.encode()) > TEXT_MOST:
            self.refuse(word, f"must be text without NUL, at most {TEXT_MOST} bytes")


def _shown(word: str) -> str:
    """Give a word of the file so that it can stand in a line on a terminal."""
    return repr(word if len(word) <= SHOWN_MOST else word[:SHOWN_MOST] + "…")
