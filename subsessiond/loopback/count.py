"""How tokens are counted: bytes by four, rounded up, so that a test can count them too."""

from typing import Any, NamedTuple, Self

import orjson

BYTES_IN_TOKEN = 4


class Usage(NamedTuple):
    """Tokens of one request, or of several."""

    input: int = 0
    """Without what the cache gave or took."""
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0

    @classmethod
    def counted(cls, asked: bytes, said: Any) -> Self:
        """Count a request's body and an answer."""
        return cls(input=count(asked), output=count(orjson.dumps(said)))

    def plus(self, other: "Usage") -> "Usage":
        """Add two."""
        return Usage(*(a + b for a, b in zip(self, other, strict=True)))

    @property
    def whole_input(self) -> int:
        """All that was read, for APIs that count the cache in."""
        return self.input + self.cache_read + self.cache_write


def count(text: bytes) -> int:
    """Count the tokens of a text."""
    return -(-len(text) // BYTES_IN_TOKEN)
