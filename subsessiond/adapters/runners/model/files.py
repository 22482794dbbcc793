"""What a model does with files. Blocking, for a thread; every answer is bounded.

Only plain files are opened: a pipe or a device would hold the thread for ever.
"""

import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

ANSWER_BYTES: Final = 32 * 1024
"""Of one answer; about 11,000 tokens."""

FILE_BYTES: Final = 16 * 1024 * 1024
"""Of a file that is read at all."""

NAMES_MOST: Final = 1_000
FOUND_MOST: Final = 200
MORE: Final = "(there may be more: look in a smaller folder)"
LINE_BYTES: Final = 300
SEARCH_S: Final = 5.0
SEARCHED_BYTES: Final = 256 * 1024 * 1024

_SKIPPED: Final = frozenset((".git", "node_modules", ".venv", "__pycache__", ".subsession"))
"""Folders that are not searched unless they are named."""


class FileFault(Exception):
    """A file cannot be used so; says why, in words for the model."""


def read_part(path: Path, first_line: int, lines: int | None) -> str:
    """Give lines of a text file, as many as fit.

    Raises:
        FileFault: it is no file that can be read as text.
    """
    text = _text_of(path)
    rows = text.splitlines(keepends=True)
    wanted = (
        rows[first_line - 1 :] if lines is None else rows[first_line - 1 : first_line - 1 + lines]
    )
    shown, room = [], ANSWER_BYTES
    for row in wanted:
        room -= len(row.encode())
        if room < 0:
            break
        shown.append(row)
    if wanted and not shown:
        return f"(line {first_line} alone is longer than an answer may be)"
    more = len(wanted) - len(shown)
    last = first_line - 1 + len(shown)
    note = f"\n(the file has {len(rows)} lines; go on with firstLine {last + 1})" if more else ""
    return "".join(shown) + note or "(nothing stands there)"


def list_folder(path: Path) -> str:
    """Give the names in a folder, folders with a slash.

    Raises:
        FileFault: it is no folder, or may not be read.
    """
    try:
        with os.scandir(path) as entries:
            names = sorted(e.name + "/" * e.is_dir(follow_symlinks=False) for e in entries)
    except OSError as fault:
        raise FileFault(_why(fault)) from fault
    shown = [name.encode(errors="replace").decode() for name in names[:NAMES_MOST]]
    if len(names) > NAMES_MOST:
        shown.append(f"({len(names) - NAMES_MOST} more)")
    return "\n".join(shown) or "(the folder is empty)"


def search(base: Path, start: Path, text: str) -> str:
    """Find a text below a folder, or in one file; bounded in time, bytes and places.

    Raises:
        FileFault: there is nothing to look for, or nothing to look in.
    """
    if not text:
        raise FileFault("text is empty")
    if not start.exists():
        raise FileFault("there is no such file or folder")
    found: list[str] = []
    until, room = time.monotonic() + SEARCH_S, SEARCHED_BYTES
    for path in _files_below(start):
        if len(found) > FOUND_MOST or time.monotonic() > until or room < 0:
            return "\n".join([*found[:FOUND_MOST], MORE])
        try:
            content = _text_of(path)
        except FileFault:
            continue  # not text: nothing is found in it
        room -= len(content)
        found.extend(_places(path.relative_to(base), content, text))
    if len(found) > FOUND_MOST:
        return "\n".join([*found[:FOUND_MOST], MORE])
    return "\n".join(found) or "(found nowhere)"


def write_whole(path: Path, text: str) -> str:
    """Write a file, and the folders it lies in.

    Raises:
        FileFault: it cannot be written.
    """
    raw = _encoded(text)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _opened(path, os.O_WRONLY | os.O_CREAT) as file:
            file.truncate()
            file.write(raw)
    except OSError as fault:
        raise FileFault(_why(fault)) from fault
    return f"written, {len(raw)} bytes"


def edit(path: Path, old: str, new: str) -> str:
    """Replace the one place where a piece of text stands.

    Raises:
        FileFault: it stands nowhere, or more than once, or the file cannot be written.
    """
    text = _text_of(path)
    count = text.count(old) if old else 0
    if count != 1:
        raise FileFault("old is empty" if not old else f"old stands there {count} times, not once")
    write_whole(path, text.replace(old, new))
    return "replaced"


def delete(path: Path) -> str:
    """Delete a file.

    Raises:
        FileFault: there is none, or it cannot be deleted.
    """
    try:
        path.unlink()
    except OSError as fault:
        raise FileFault(_why(fault)) from fault
    return "deleted"


def _files_below(start: Path) -> Iterator[Path]:
    if not start.is_dir():
        yield start
        return
    for folder, folders, names in os.walk(start):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        yield from (Path(folder, name) for name in sorted(names))


def _places(name: Path, content: str, text: str) -> Iterator[str]:
    if text not in content:
        return
    for number, line in enumerate(content.splitlines(), 1):
        if text in line:
            shown = line.strip().encode()[:LINE_BYTES].decode(errors="ignore")
            yield f"{name}:{number}: {shown}"


def _text_of(path: Path) -> str:
    try:
        with _opened(path, os.O_RDONLY) as file:
            raw = file.read(FILE_BYTES + 1)
    except OSError as fault:
        raise FileFault(_why(fault)) from fault
    if len(raw) > FILE_BYTES:
        raise FileFault(f"it is larger than {FILE_BYTES} bytes")
    try:
        return raw.decode("utf-8-sig" if raw.startswith(b"\xef\xbb\xbf") else "utf-8")
    except UnicodeDecodeError as fault:
        raise FileFault("it is not text in UTF-8") from fault


def _opened(path: Path, how: int) -> BinaryIO:
    """Open a plain file, and no link: where it leads was looked at before."""
    flags = how | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o666)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise FileFault("it is no plain file")
    return os.fdopen(descriptor, "rb" if how == os.O_RDONLY else "wb")


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as fault:
        raise FileFault("the text holds half a character") from fault


def _why(fault: OSError) -> str:
    return (fault.strerror or type(fault).__name__).lower()
