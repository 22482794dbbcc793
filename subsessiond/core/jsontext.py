"""JSON as text: how much it holds, counted before any of it is made."""

from typing import Final

MOST_VALUES: Final = 2**20
"""Values of one message."""

MOST_PARTS: Final = 100_000
"""Lists, objects and members of objects in one message. A batch of a hundred full briefs has a
tenth of that; eight MiB of empty lists have 28 times as many, and to make and to walk them would
hold up everybody else for seconds.
"""


def has_too_many(raw: bytes) -> bool:
    """Tell whether a message holds more than anybody reads; exact for JSON, quick for anything.

    Why in two goes: most messages have few of these signs even inside their texts, and taking the
    texts out is what costs.
    """
    if _is_modest(raw):
        return False
    bare = raw.replace(b"\\\\", b"").replace(b'\\"', b"")
    if bare.count(b'"') > 2 * (MOST_VALUES + MOST_PARTS):
        return True
    return not _is_modest(b"".join(bare.split(b'"')[::2]))


def _is_modest(text: bytes) -> bool:
    parts = text.count(b"[") + text.count(b"{") + text.count(b":")
    return parts <= MOST_PARTS and text.count(b",") < MOST_VALUES
