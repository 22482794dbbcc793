"""What a parent should be billed for the texts that its agent was given: reckoned anew, from them.

Knows the stated rule and none of the code that follows it: an answer is of the child that the call
named, or that it names itself; of several, each has what is its own, and what frames them is shared
evenly, odd bytes to the first.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple


class Given(NamedTuple):
    """One text that a parent's agent was given."""

    text: str
    named: str = ""
    """The child that its call named; empty where it named none, or was no call."""
    data: str = ""
    """What a refusal said once more, as data."""

    @property
    def size(self) -> int:
        """Bytes of all of it."""
        return _size(self.text) + _size(self.data)


GENERAL: Final = ""
"""The account of what names no child."""
AGAIN: Final = "(again) "
_FRAME: Final = r"(?:\(again\) )?Background subagent (\w{26}) "


def bill(given: Iterable[Given], children: Iterable[str]) -> Counter[str]:
    """Give the bytes of each child; repeats of mail stand under its name with a mark before it."""
    known, found = tuple(children), Counter[str]()
    for one in given:
        for name, size in _shares(one, known):
            found[name] += size
    return found


def _shares(given: Given, children: tuple[str, ...]) -> list[tuple[str, int]]:
    text = given.text
    parts = _mail(text) or _rows(text)
    if not parts:
        named = [child for child in children if child in (given.named or text)]
        parts = [(named[0], given.size)] if len(named) == 1 else []
    if not parts:
        return [(GENERAL, given.size)]
    each, odd = divmod(given.size - sum(size for _, size in parts), len(parts))
    return [(name, size + each + (at < odd)) for at, (name, size) in enumerate(parts)]


def _mail(text: str) -> list[tuple[str, int]]:
    """Cut a text at the frames of messages; a blank line and a count may stand behind each."""
    starts = [found.start() for found in re.finditer(rf"^{_FRAME}", text, re.MULTILINE)]
    if not starts or starts[0] != 0:
        return []
    parts = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        message = re.sub(r"\n\n\d+ more: .*\Z", "", text[start:end]).removesuffix("\n\n")
        child = re.match(_FRAME, message)
        assert child is not None
        mark = AGAIN if message.startswith(AGAIN) else ""
        parts.append((mark + child[1], _size(message)))
    return parts


def _rows(text: str) -> list[tuple[str, int]]:
    """Take the rows of a page of the tree."""
    if not text.startswith('{"rows":'):
        return []
    rows = json.loads(text)["rows"]
    dense = (json.dumps(row, separators=(",", ":"), ensure_ascii=False) for row in rows)
    return [(row["nodeId"], _size(one)) for row, one in zip(rows, dense, strict=True)]


def _size(text: str) -> int:
    return len(text.encode())
