"""Folders for agents' homes."""

import json
import stat
from pathlib import Path

from tests.support.rigs import BIN
from tests.support.shipped import make_home


def place_for_homes() -> Path:
    """Make the folder in which homes lie; beside the agents, as nobody else writes above it."""
    place = BIN.parent / "tmp"
    place.mkdir(mode=0o700, exist_ok=True)
    return place


def make_hooked_home(name: str, stub: str, home: Path) -> dict[str, str]:
    """Write what a user of an agent has in the home folder, who lets hooks run; as `make_home`."""
    environ = make_home(name, stub, home)
    settings = home / ".claude" / "settings.json"
    if settings.exists():
        kept = json.loads(settings.read_text())
        kept.pop("disableAllHooks", None)
        settings.write_text(json.dumps(kept))
    return environ


def is_private(folder: Path) -> bool:
    """Tell whether nobody else may write to a folder or above it: else gemini reads no settings."""
    return not any(
        p.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH) for p in (folder, *folder.parents)
    )
