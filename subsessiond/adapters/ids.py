"""New names: time first, then chance, always later in order than the name before."""

import secrets
import time
from collections.abc import Callable, Iterable

from subsessiond.model.ids import NodeId

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
CHANCE_BITS = 80
LETTERS = 26


def _wall_ms() -> int:
    return time.time_ns() // 1_000_000


class RandomIds:
    """Makes node ids and tokens.

    Args:
        wall_ms: milliseconds since 1970.
    """

    def __init__(self, *, wall_ms: Callable[[], int] = _wall_ms) -> None:
        self._wall_ms = wall_ms
        self._last = 0

    def go_on_after(self, known: Iterable[NodeId]) -> None:
        """Give only names later than these from now on.

        Why: a clock that was set back between two lives of the daemon would else make a child whose
        name comes before its parent's, and whoever reads nodes in order would meet it first.
        """
        for name in known:
            self._last = max(self._last, _read(name))

    def node_id(self) -> NodeId:
        """A name never given before, later in order than all given by this source."""
        value = max(self._wall_ms() << CHANCE_BITS | secrets.randbits(CHANCE_BITS), self._last + 1)
        self._last = value
        return NodeId(_spell(value))

    def token(self) -> str:
        """A secret of 256 bits."""
        return secrets.token_urlsafe(32)


def _spell(value: int) -> str:
    letters = []
    for _ in range(LETTERS):
        value, digit = divmod(value, 32)
        letters.append(ALPHABET[digit])
    return "".join(reversed(letters))


def _read(name: NodeId) -> int:
    """Read a name; one that is spelled in no way of ours counts as nothing."""
    value = 0
    for letter in name:
        digit = ALPHABET.find(letter)
        if digit < 0:
            return 0
        value = value * 32 + digit
    return value if len(name) == LETTERS else 0
