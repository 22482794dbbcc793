"""The scratch folder of one child: made before it starts, gone after its end."""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path


def make_scratch(folder: Path, files: Iterable[tuple[str, str]]) -> None:
    """Make a fresh folder that only its owner may enter, and write files into it.

    Raises:
        OSError: it could not be made, or not all of it.
        ValueError: a name would leave the folder.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, parents=True)
    for name, text in files:
        path = folder / name
        if not os.path.normpath(path).startswith(f"{folder}{os.sep}"):
            raise ValueError(f"{name!r} is no file inside of a scratch folder")
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        path.chmod(0o600)


def drop_scratch(folder: Path) -> None:
    """Remove a scratch folder, as far as it lets itself be removed."""
    shutil.rmtree(folder, ignore_errors=True)
