"""Sizes: how text is measured, and how it is cut without breaking a character."""

import re
from itertools import islice

BYTES_PER_TOKEN = 3
"""Chosen low on purpose: newer tokenizers need up to a third more tokens than bytes / 4 says."""

ELLIPSIS = "…"

_WORD = re.compile(r"\S+")


def size_bytes(text: str) -> int:
    """Count the bytes of a text in UTF-8."""
    return len(text.encode())


def estimated_tokens(byte_count: int) -> int:
    """Estimate tokens from bytes, rounded up: deterministic and free."""
    return -(-byte_count // BYTES_PER_TOKEN)


def bytes_of_tokens(tokens: int) -> int:
    """Give the greatest number of bytes that is still estimated at so many tokens."""
    return tokens * BYTES_PER_TOKEN


def cut_bytes(text: str, limit: int) -> str:
    """Cut a text to at most `limit` bytes, between characters, the mark of the cut included."""
    raw = text.encode()
    if len(raw) <= limit:
        return text
    mark = ELLIPSIS if limit >= len(ELLIPSIS.encode()) else ""
    return raw[: limit - len(mark.encode())].decode(errors="ignore") + mark


def tail_bytes(text: str, limit: int) -> str:
    """Keep the last `limit` bytes of a text, cut between characters."""
    raw = text.encode()
    return text if len(raw) <= limit else raw[len(raw) - limit :].decode(errors="ignore")


def one_line(text: str, limit: int) -> str:
    """Make one line of at most `limit` bytes out of a text, of which no more is looked at."""
    words = islice(_WORD.finditer(text), limit + 1)
    return cut_bytes(" ".join(word[0] for word in words), limit)
