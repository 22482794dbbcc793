"""One spelling for one value: sizes and fingerprints are taken of it."""

import hashlib
from collections.abc import Iterator
from typing import Any

import msgspec

from subsessiond.model.brief import Brief, FieldFault
from subsessiond.model.report import Report
from subsessiond.wire.faults import UNNAMED, join_path
from subsessiond.wire.text import MOST_INTEGER

MOST_LEVELS = 64
"""Nesting of free JSON. Deeper data is nobody's result, and every encoder copes with this much."""

_compact = msgspec.json.Encoder().encode
_sorted = msgspec.json.Encoder(order="deterministic").encode


def compact_bytes(value: Any) -> bytes:
    """Write a value as JSON without spaces, keys as they came."""
    return _compact(value)


def fingerprint(*values: Any) -> str:
    """Give the SHA-256 of values, hexadecimal; the order of keys makes no difference."""
    return hashlib.sha256(_sorted(values)).hexdigest()


def brief_fingerprint(role: str, brief: Brief) -> str:
    """Give what an idempotency key of spawn stands for."""
    return fingerprint(role, brief)


def report_fingerprint(report: Report) -> str:
    """Give what makes two reports the same: everything but the key."""
    return fingerprint(msgspec.structs.replace(report, key=None))


def json_faults(value: Any, *path: str | int) -> tuple[FieldFault, ...]:
    """List what free JSON may not hold: NUL, integers beyond 2^53-1, too many levels.

    Args:
        value: Parsed JSON.
        path: Where it stands.
    """
    return tuple(_json_faults(value, path))


def _json_faults(value: Any, path: tuple[str | int, ...]) -> Iterator[FieldFault]:
    waiting: list[tuple[Any, tuple[str | int, ...], int]] = [(value, path, 0)]
    # Why no recursion: the depth is the caller's to choose.
    while waiting:
        here, place, level = waiting.pop()
        problem = _problem(here, level)
        if problem:
            yield FieldFault(path=join_path(*place), problem=problem)
        elif isinstance(here, dict):
            waiting.extend(
                (below, (*place, key), level + 1) for key, below in reversed(here.items())
            )
            if any("\0" in key for key in here):
                yield FieldFault(path=join_path(*place, UNNAMED), problem="holds a NUL character")
        elif isinstance(here, list):
            pairs = [(below, (*place, i), level + 1) for i, below in enumerate(here)]
            waiting.extend(reversed(pairs))


def _problem(value: Any, level: int) -> str:
    if isinstance(value, str):
        return "holds a NUL character" if "\0" in value else ""
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, int):
        return "is beyond 2^53-1" if abs(value) > MOST_INTEGER else ""
    if isinstance(value, float):
        return ""
    return f"is nested deeper than {MOST_LEVELS} levels" if level > MOST_LEVELS else ""
