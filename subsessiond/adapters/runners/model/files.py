"""What a model does with files. Blocking, for a thread; every answer is bounded.

Only plain files are opened: a pipe or a device would hold the thread for ever.
"""

import os
import stat
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final

from subsessiond.adapters.runners.placing import delete_inside, write_inside
from subsessiond.adapters.runners.rows import count_rows, rows_of
from subsessiond.core.bounds import cut_bytes

ANSWER_BYTES: Final = 32 * 1024
"""Of one answer; about 11,000 tokens."""

FILE_BYTES: Final = 16 * 1024 * 1024
"""Of a file that is read at all."""

NAMES_MOST: Final = 1_000
FOUND_MOST: Final = 200
MORE: Final = "(there may be more: look in a smaller folder)"
LINE_BYTES: Final = 300
LINE_CHARACTERS: Final = 4 * LINE_BYTES
"""Of a line: what is looked at, with the blanks it may begin with."""

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
    raw = _text_of(path).encode()
    wanted = rows_of(raw, first_line - 1, lines)
    shown = wanted
    if len(wanted) > ANSWER_BYTES:
        shown = wanted[: wanted.rfind(b"\n", 0, ANSWER_BYTES) + 1]
        if not shown:
            return f"(line {first_line} alone is longer than an answer may be)"
    if len(shown) == len(wanted):
        return shown.decode() or "(nothing stands there)"
    next_line = first_line + shown.count(b"\n")
    note = f"(the file has {count_rows(raw)} lines; go on with firstLine {next_line})"
    return f"{shown.decode()}\n{note}"


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
        places = _places(path.relative_to(base), content, text)
        found.extend(islice(places, FOUND_MOST + 1 - len(found)))
    if len(found) > FOUND_MOST:
        return "\n".join([*found[:FOUND_MOST], MORE])
    return "\n".join(found) or "(found nowhere)"


def write_whole(workspace: Path, inside: str, text: str) -> str:
    """Write a file, and the folders it lies in, in one step.

    Raises:
        FileFault: it cannot be written; then it is as it was.
    """
    raw = _encoded(text)
    try:
        write_inside(str(workspace), inside, raw)
    except OSError as fault:
        raise FileFault(_why(fault)) from fault
    return f"written, {len(raw)} bytes"


def edit(workspace: Path, inside: str, old: str, new: str) -> str:
    """Replace the one place where a piece of text stands.

    Raises:
        FileFault: it stands nowhere, or more than once, or the file cannot be written.
    """
    text = _text_of(workspace / inside)
    count = text.count(old) if old else 0
    if count != 1:
        raise FileFault("old is empty" if not old else f"old stands there {count} times, not once")
    write_whole(workspace, inside, text.replace(old, new))
    return "replaced"


def delete(workspace: Path, inside: str) -> str:
    """Delete a file.

    Raises:
        FileFault: there is none, or it cannot be deleted.
    """
    try:
        delete_inside(str(workspace), inside)
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
    """Give the lines where a text begins, each once."""
    number, counted = 1, 0
    at = content.find(text)
    while at >= 0:
        number, counted = number + content.count("\n", counted, at), at
        start, end = content.rfind("\n", 0, at) + 1, content.find("\n", at)
        end = len(content) if end < 0 else end
        shown = content[start : min(end, start + LINE_CHARACTERS)].strip()
        yield f"{name}:{number}: {cut_bytes(shown, LINE_BYTES)}"
        at = content.find(text, end + 1)


def _text_of(path: Path) -> str:
    try:
        with _opened(path) as file:
            raw = file.read(FILE_BYTES + 1)
    except OSError as fault:
        raise FileFault(_why(fault)) from fault
    if len(raw) > FILE_BYTES:
        raise FileFault(f"it is larger than {FILE_BYTES} bytes")
    try:
        return raw.decode("utf-8-sig" if raw.startswith(b"\xef\xbb\xbf") else "utf-8")
    except UnicodeDecodeError as fault:
        raise FileFault("it is not text in UTF-8") from fault


def _opened(path: Path) -> BinaryIO:
    """Open a plain file to read, and no link: where it leads was looked at before."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise FileFault("it is no plain file")
    return os.fdopen(descriptor, "rb")


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as fault:
        raise FileFault("the text holds half a character") from fault


def _why(fault: OSError) -> str:
    return (fault.strerror or type(fault).__name__).lower()
