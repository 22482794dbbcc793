"""The scratch folder of one child: made before it starts, gone after its end."""

import contextlib
import os
import secrets
from collections.abc import Iterable
from pathlib import Path


def make_scratch(folder: Path, files: Iterable[tuple[str, str]]) -> None:
    """Make a fresh folder that only its owner may enter, and write files into it.

    Raises:
        OSError: it could not be made, or not all of it.
        ValueError: a name would leave the folder.
    """
    drop_scratch(folder)
    folder.mkdir(mode=0o700, parents=True)
    for name, text in files:
        path = folder / name
        if not os.path.normpath(path).startswith(f"{folder}{os.sep}"):
            raise ValueError(f"{name!r} is no file inside of a scratch folder")
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        path.chmod(0o600)


def drop_scratch(folder: Path) -> None:
    """Remove a scratch folder, as far as it lets itself be removed; what is a link leads nowhere.

    Why not by walking down: a child may leave folders nested deeper than a walk can follow, whose
    paths are longer than any path may be. So folders inside of folders are moved up before.
    """
    waiting: list[str] = []
    emptied: list[str] = []
    with contextlib.suppress(OSError):
        if folder.is_dir() and not folder.is_symlink():
            folder.chmod(0o700)
            waiting.append(str(folder))
    while waiting:
        place = waiting.pop()
        emptied.append(place)
        for entry in _entries(place):
            with contextlib.suppress(OSError):
                if not entry.is_dir(follow_symlinks=False):
                    os.unlink(entry.path)
                    continue
                above = os.path.join(folder, f".{secrets.token_hex(8)}.gone")
                os.chmod(entry.path, 0o700)  # a folder is moved by who may write to it
                os.rename(entry.path, above)
                waiting.append(above)
    for place in reversed(emptied):
        with contextlib.suppress(OSError):
            os.rmdir(place)


def _entries(place: str) -> list[os.DirEntry[str]]:
    """List a folder; of one that cannot be listed, nothing."""
    with contextlib.suppress(OSError), os.scandir(place) as entries:
        return list(entries)
    return []
