"""Amounts in a few columns, for people."""

_BYTES = ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB"))
_TOKENS = ((10**6, "M", 1), (10**3, "k", 0))
_SPANS = ((86_400, "d", 3_600, "h"), (3_600, "h", 60, "m"), (60, "m", 1, "s"))
_ROUNDS_UP = 0.9995
"""From here on, three digits would show a thousand."""


def say_bytes(count: int) -> str:
    """Say a number of bytes in at most seven columns."""
    for unit, name in _BYTES:
        if count >= unit * _ROUNDS_UP:
            return f"{count / unit:.3g} {name}"
    return f"{count} B"


def say_tokens(count: int) -> str:
    """Say a number of tokens in at most six columns."""
    for unit, name, digits in _TOKENS:
        if count >= unit * _ROUNDS_UP:
            return f"{count / unit:.{digits}f}{name}"
    return str(count)


def say_span(ms: float) -> str:
    """Say a length of time in at most seven columns."""
    seconds = max(0, int(ms // 1_000))
    for unit, name, part, part_name in _SPANS:
        if seconds >= unit:
            return f"{seconds // unit}{name}{seconds % unit // part:02}{part_name}"
    return f"{seconds}s"
