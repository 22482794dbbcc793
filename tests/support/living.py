"""Programs found by a word of their command line, because they may have thrown their marks away."""

import os
from pathlib import Path


def living(marker: str) -> list[int]:
    """List the living processes that were started with this word."""
    found = []
    for pid in (int(name) for name in os.listdir("/proc") if name.isdecimal()):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        found += [pid] if marker.encode() in words else []
    return found
