"""When a request that came to nothing is made again. Pure."""

from typing import Final

from subsessiond.adapters.runners.model.speech import ModelFault

LIMITED: Final = (429, 529)
"""Too many requests, or an endpoint that is overloaded: waiting is the cure."""

PASSING: Final = (408, 409, 425, 500, 502, 503, 504, *LIMITED)

TRIES_MOST: Final = 6
WAIT_MOST_MS: Final = 300_000
"""Who asks for more time than this is not waited for."""

FIRST_WAIT_MS: Final = 1_000
LAST_WAIT_MS: Final = 60_000


def is_limit(fault: ModelFault) -> bool:
    """Tell whether the endpoint is there and wants fewer requests."""
    return fault.status in LIMITED


def wait_ms(fault: ModelFault, tries: int, first_ms: int = FIRST_WAIT_MS) -> int | None:
    """Give how long to wait before the request is made again; none = it is not.

    Args:
        fault: how the last one failed.
        tries: how many failed in a row, this one included.
        first_ms: the first wait where the endpoint names none; each next one is twice as long.
    """
    passing = fault.status is None or fault.status in PASSING
    if fault.lasting or not passing or tries >= TRIES_MOST:
        return None
    if fault.retry_after_ms is not None:
        return fault.retry_after_ms if fault.retry_after_ms <= WAIT_MOST_MS else None
    return min(LAST_WAIT_MS, first_ms << (tries - 1))


def retry_after_ms(header: str | None) -> int | None:
    """Read a number of seconds; a date, or what is no time, is none."""
    try:
        seconds = float(header or "")
    except ValueError:
        return None
    # Why up to a year: beyond it the number means nothing, and infinity is no number of ms.
    return int(seconds * 1_000) if 0 <= seconds < 366 * 86_400 else None
