"""What of a file was not there before us, so that it goes again when our lines do.

An object that was empty before stays when ours is the last thing taken out of it; one that was
made for ours goes. Nothing in a file tells the two apart, so it is written down, in the state
directory. Without the record our lines still go, and empty objects stay.
"""

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

NAME: Final = "installed.json"


@dataclass(frozen=True, slots=True)
class Made:
    """What was made in and for one file."""

    paths: tuple[tuple[str, ...], ...] = ()
    """Objects and lists that were not there; the empty path is the document."""
    file: bool = False
    """Whether there was no file."""
    folders: tuple[Path, ...] = ()
    """Folders that were made for it, the outermost first."""

    def joined(self, other: "Made") -> "Made":
        """Give what either of two made."""
        paths = dict.fromkeys((*self.paths, *other.paths))
        folders = dict.fromkeys((*self.folders, *other.folders))
        return Made(tuple(paths), self.file or other.file, tuple(folders))


class Record:
    """The record of all files.

    Args:
        folder: the state directory.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._made = dict(_read(self._path))

    def of(self, path: Path) -> Made:
        """Give what was made in a file, as far as it is known."""
        return self._made.get(str(path), Made())

    def note(self, path: Path, made: Made) -> None:
        """Write down what was made; nothing forgets the file."""
        if made == Made():
            self._made.pop(str(path), None)
        else:
            self._made[str(path)] = made
        self._write()

    def _write(self) -> None:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        document = {
            path: {
                "paths": [list(names) for names in made.paths],
                "file": made.file,
                "folders": [str(folder) for folder in made.folders],
            }
            for path, made in sorted(self._made.items())
        }
        fresh = self._path.with_suffix(".new")
        with fresh.open("w") as out:
            json.dump(document, out, indent=1)
            out.flush()
            os.fsync(out.fileno())
        fresh.replace(self._path)


def _read(path: Path) -> list[tuple[str, Made]]:
    """Read the record; what cannot be read is not known."""
    document: Any = {}
    with suppress(OSError, ValueError):
        document = json.loads(path.read_bytes())
    entries = document.items() if isinstance(document, dict) else ()
    return [(name, made) for name, entry in entries if (made := _made(entry)) is not None]


def _made(entry: Any) -> Made | None:
    try:
        return Made(
            tuple(tuple(map(str, names)) for names in entry["paths"]),
            bool(entry["file"]),
            tuple(Path(folder) for folder in entry["folders"]),
        )
    except (KeyError, TypeError):
        return None
