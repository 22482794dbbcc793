"""The files of a workspace that may describe roles, read without following a link.

A link could lead out of the workspace, to a file that is not its own; and what is no plain file
could let its reader wait for ever. So neither is read, nor what is too long to be a role.
"""

import contextlib
import errno
import hashlib
import os
import stat
from typing import Final

from subsessiond.model.projectrole import RoleFile

FOLDER: Final = (".claude", "agents")
ENDING: Final = ".md"
FILE_BYTES: Final = 64 * 1024
"""Of one file; the text of a role may have half of it."""

FILES_MOST: Final = 100
ENTRIES_MOST: Final = 1_000
"""Of a folder that is looked through; what lies beyond them is not known of."""

_INTO: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PLAIN: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def read_role_files(workspace: str) -> tuple[RoleFile, ...]:
    """Read them all, by name; of those that are not read it is said why.

    Raises:
        OSError: the folder is there and cannot be read.
    """
    with contextlib.ExitStack() as open_folders:
        try:
            place = _enter(open_folders, os.path.realpath(workspace), None)
            for name in FOLDER:
                place = _enter(open_folders, name, place)
        except (FileNotFoundError, NotADirectoryError):
            return ()
        names = _names(place)
        read = tuple(_file(name, place) for name in names[:FILES_MOST])
        more = tuple(
            RoleFile(file=_path(name), problem=f"is beyond the first {FILES_MOST} files")
            for name in names[FILES_MOST:]
        )
        return (*read, *more)


def _enter(open_folders: contextlib.ExitStack, name: str, above: int | None) -> int:
    found = os.open(name, _INTO, dir_fd=above)
    open_folders.callback(os.close, found)
    return found


def _names(place: int) -> list[str]:
    """Give the names that end as they should, sorted; what is no UTF-8 has its bytes escaped."""
    with os.scandir(place) as entries:
        some = (entry.name for entry, _ in zip(entries, range(ENTRIES_MOST), strict=False))
        return sorted(name for name in some if name.endswith(ENDING))


def _path(name: str) -> str:
    shown = name.encode(errors="backslashreplace").decode()
    return "/".join((*FOLDER, shown))


def _file(name: str, place: int) -> RoleFile:
    path = _path(name)
    try:
        content = _read(name, place)
    except OSError as fault:
        return RoleFile(file=path, problem=_why(fault))
    if len(content) > FILE_BYTES:
        return RoleFile(file=path, problem=f"has more than {FILE_BYTES} bytes")
    digest = hashlib.sha256(content).hexdigest()
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return RoleFile(file=path, digest=digest, problem="is no UTF-8")
    if "\0" in text:
        return RoleFile(file=path, digest=digest, problem="contains a NUL")
    return RoleFile(file=path, digest=digest, text=text)


def _read(name: str, place: int) -> bytes:
    """Read a plain file, and one byte more than is allowed of a longer one."""
    with contextlib.ExitStack() as open_files:
        found = os.open(name, _PLAIN, dir_fd=place)
        open_files.callback(os.close, found)
        if not stat.S_ISREG(os.fstat(found).st_mode):
            raise IsADirectoryError
        content = b""
        while len(content) <= FILE_BYTES:
            piece = os.read(found, FILE_BYTES + 1 - len(content))
            if not piece:
                break
            content += piece
        return content


def _why(fault: OSError) -> str:
    if isinstance(fault, IsADirectoryError):
        return "is no plain file"
    if fault.errno == errno.ELOOP:
        return "is a link, and no link is followed here"
    return f"cannot be read: {fault.strerror}"
