"""The list of all workspaces, beside the store, so that journals are found without it."""

import sqlite3
from pathlib import Path

import msgspec

from subsessiond.adapters.store.files import Places, replace_file
from subsessiond.adapters.store.reader import read_workspaces

_list = msgspec.json.Decoder(tuple[str, ...])


def known(places: Places) -> tuple[str, ...]:
    """Read the list; what is not readable is an empty list, and `mend` keeps it aside."""
    try:
        return _list.decode(places.workspaces.read_bytes())
    except (OSError, msgspec.MsgspecError):
        return ()


def write(places: Places, names: frozenset[str]) -> None:
    """Replace the list, durably."""
    replace_file(places.workspaces, msgspec.json.format(msgspec.json.encode(sorted(names))))


def mend(places: Places, db: sqlite3.Connection) -> tuple[str, ...]:
    """Make the list hold everything that the store knows; an unreadable one is kept aside."""
    names = frozenset((*known(places), *read_workspaces(db)))
    if names == frozenset(known(places)) and (names or not places.workspaces.exists()):
        return ()
    warnings: tuple[str, ...] = ()
    if places.workspaces.exists() and not known(places):
        aside = _free_name(places)
        places.workspaces.rename(aside)
        warnings = (f"the list of workspaces could not be read; it is kept as {aside}",)
    write(places, names)
    return warnings


def _free_name(places: Places) -> Path:
    n = 1
    while (aside := places.directory / f"workspaces.aside-{n}.json").exists():
        n += 1
    return aside
