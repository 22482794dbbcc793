"""Folders for agents' homes."""

import stat
from pathlib import Path

from tests.support.rigs import BIN


def place_for_homes() -> Path:
    """Make the folder in which homes lie; beside the agents, as nobody else writes above it."""
    place = BIN.parent / "tmp"
    place.mkdir(mode=0o700, exist_ok=True)
    return place


def is_private(folder: Path) -> bool:
    """Tell whether nobody else may write to a folder or above it: else gemini reads no settings."""
    return not any(
        p.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH) for p in (folder, *folder.parents)
    )
