"""Where transcripts lie, and how large they grow."""

import os
from pathlib import Path
from typing import Final

from subsessiond.model.ids import NodeId, is_node_id

FILE_BYTES: Final = 1024 * 1024
"""A file that has grown so large is followed by the next."""

FILES: Final = 16
"""Files of one transcript: the first, and the newest of the others."""

_SUFFIX: Final = ".jsonl"
_DIGITS: Final = 12


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


def first_numbers(folder: Path) -> tuple[int, ...]:
    """Give the numbers that the files of a folder begin with, in order; none without a folder."""
    try:
        names = os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return ()
    stems = (name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX))
    return tuple(sorted(int(stem) for stem in stems if len(stem) == _DIGITS and stem.isdecimal()))
