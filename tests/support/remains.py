"""What is left of `agents/family.py`: found by its mark, and by what its processes noted."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PROC = Path("/proc")
LOOKS = 4
"""One that forks on and leaves may be between two numbers in one look, hardly in all."""


class Noted(NamedTuple):
    """A process, as itself sees it."""

    namespace: str
    pid: int
    start: int


def read_notes(path: Path) -> set[Noted]:
    """Read what the processes of a family wrote down; the words among it are left out."""
    lines = (line.split() for line in path.read_text("ascii").splitlines())
    return {Noted(words[0], int(words[1]), int(words[2])) for words in lines if len(words) == 3}


def remains(mark: str, noted: set[Noted]) -> dict[int, str]:
    """Find every living process that has this mark on its command line, or was noted."""
    found: dict[int, str] = {}
    for _ in range(LOOKS):
        found |= dict(_look(mark, noted))
    return found


def _look(mark: str, noted: set[Noted]) -> Iterator[tuple[int, str]]:
    for pid in (int(name) for name in os.listdir(PROC) if name.isdecimal()):
        try:
            words = (PROC / str(pid) / "cmdline").read_bytes().decode(errors="replace").split("\0")
            if mark in words or (words[0] and see(pid) in noted):
                yield pid, " ".join(words)
        except OSError:  # gone, or another user's
            continue


def see(pid: int) -> Noted:
    """Look at a process as it sees itself."""
    folder = PROC / str(pid)
    status = dict(line.split(":\t", 1) for line in (folder / "status").read_text().splitlines())
    start = (folder / "stat").read_bytes().rpartition(b")")[2].split()[19]
    return Noted(os.readlink(folder / "ns/pid"), int(status["NSpid"].split()[-1]), int(start))
