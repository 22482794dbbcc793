"""Letting old transcripts go: by age, and by what all of them together take."""

import os
import shutil
from collections.abc import Container
from pathlib import Path

from subsessiond.model.ids import is_node_id


def prune(base: Path, oldest_ms: int, most_bytes: int, spare: Container[str]) -> int:
    """Remove transcripts that were last written before an instant, then the oldest while they take
    too much together; those of children under way stay. Gives how many were removed.
    """
    found = sorted(_measure(folder) for folder in _folders(base) if folder.name not in spare)
    total = sum(size for _, size, _ in found)
    removed = 0
    for written_ms, size, folder in found:
        if written_ms >= oldest_ms and total <= most_bytes:
            break
        shutil.rmtree(folder, ignore_errors=True)
        total -= size
        removed += 1
    return removed


def _folders(base: Path) -> list[Path]:
    if not base.is_dir():
        return []
    named = (folder for folder in base.iterdir() if is_node_id(folder.name))
    return [folder for folder in named if folder.is_dir() and not folder.is_symlink()]


def _measure(folder: Path) -> tuple[int, int, Path]:
    """Give when a transcript was last written, and its bytes."""
    stats = [entry.stat(follow_symlinks=False) for entry in os.scandir(folder)] or [folder.stat()]
    newest = max(int(stat.st_mtime * 1_000) for stat in stats)
    return newest, sum(stat.st_size for stat in stats), folder
