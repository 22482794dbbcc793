"""Where transcripts lie, how large they grow, and that nothing that was planted leads elsewhere.

A child runs as the same user and knows its own id: it can put what it likes where its transcript
lies. So folders and files are opened by what they are, and never waited for.
"""

import os
import stat
from pathlib import Path
from typing import Final

from subsessiond.model.ids import NodeId, is_node_id

FILE_BYTES: Final = 1024 * 1024
"""A file that has grown so large is followed by the next."""

FILES: Final = 16
"""Files of one transcript: the first, and the newest of the others."""

_SUFFIX: Final = ".jsonl"
_DIGITS: Final = 12
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def folder_of(base: Path, node_id: NodeId) -> Path:
    """Give the folder of one transcript; its name is made of the node's id and nothing else.

    Raises:
        ValueError: that is no id.
    """
    if not is_node_id(node_id):
        raise ValueError("not the id of a node")
    return base / node_id


def file_name(first: int) -> str:
    """Name the file that begins with this piece."""
    return f"{first:0{_DIGITS}d}{_SUFFIX}"


def open_file(folder: Path, first: int, flags: int) -> int:
    """Open the file that begins with this piece: an ordinary one, of one name, in a real folder.

    Raises:
        OSError: there is none, or something else is there.
    """
    above = os.open(folder, _FOLDER)
    try:
        descriptor = os.open(file_name(first), flags | _FILE, 0o600, dir_fd=above)
    finally:
        os.close(above)
    found = os.fstat(descriptor)
    if stat.S_ISREG(found.st_mode) and found.st_nlink == 1:
        return descriptor
    os.close(descriptor)
    raise OSError("what is there is no transcript")


def remove_file(folder: Path, first: int) -> None:
    """Remove the file that begins with this piece, where there is one.

    Raises:
        OSError: it cannot be removed, or the folder is none.
    """
    above = os.open(folder, _FOLDER)
    try:
        os.unlink(file_name(first), dir_fd=above)
    except FileNotFoundError:
        pass
    finally:
        os.close(above)


def first_numbers(folder: Path) -> tuple[int, ...]:
    """Give the numbers that the files of a folder begin with, in order: no more than the first, and
    the last of as many as there can be. None without a folder.
    """
    try:
        above = os.open(folder, _FOLDER)
    except OSError:
        return ()
    try:
        names = os.listdir(above)
    finally:
        os.close(above)
    found = _numbers(names)
    return (*found[:1], *found[1:][1 - FILES :])


def _numbers(names: list[str]) -> tuple[int, ...]:
    stems = (name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX))
    return tuple(sorted(int(stem) for stem in stems if len(stem) == _DIGITS and stem.isdecimal()))
