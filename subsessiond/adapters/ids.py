"""New names: time first, then chance, always later in order than the name before."""

import secrets
import time

from subsessiond.model.ids import NodeId

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
CHANCE_BITS = 80


class RandomIds:
    """Makes node ids and tokens."""

    def __init__(self) -> None:
        self._last = 0

    def node_id(self) -> NodeId:
        """A name never given before, later in order than all given by this source."""
        stamp = (time.time_ns() // 1_000_000) << CHANCE_BITS
        value = max(stamp | secrets.randbits(CHANCE_BITS), self._last + 1)
        self._last = value
        return NodeId(_spell(value))

    def token(self) -> str:
        """A secret of 256 bits."""
        return secrets.token_urlsafe(32)


def _spell(value: int) -> str:
    letters = []
    for _ in range(26):
        value, digit = divmod(value, 32)
        letters.append(ALPHABET[digit])
    return "".join(reversed(letters))
