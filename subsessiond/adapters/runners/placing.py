"""Changing files of a workspace by paths that were judged, and no others.

A path is judged before it is used. So a file is reached from the workspace down, folder by folder,
without following a link: whatever is exchanged on the way meanwhile leads nowhere else.
"""

import contextlib
import errno
import os
import secrets
import stat
from typing import Final

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FRESH: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def write_inside(workspace: str, inside: str, content: bytes) -> None:
    """Put a file into a workspace, or exchange it, in one step.

    Args:
        workspace: absolute path of the folder.
        inside: path in it, without links; folders on the way are made.
        content: all of the file.

    Raises:
        OSError: it was not written; a link on the way, a folder in its place and the like.
    """
    *folders, name = inside.split("/")
    with contextlib.ExitStack() as open_folders:
        place = _enter(open_folders, os.path.realpath(workspace), None)
        for folder in folders:
            with contextlib.suppress(FileExistsError):
                os.mkdir(folder, dir_fd=place)
            place = _enter(open_folders, folder, place)
        mode = _mode_of(name, place)
        fresh = f".{secrets.token_hex(8)}.part"
        try:
            _fill(os.open(fresh, _FRESH, 0o666, dir_fd=place), content, mode)
            os.rename(fresh, name, src_dir_fd=place, dst_dir_fd=place)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(fresh, dir_fd=place)
            raise


def delete_inside(workspace: str, inside: str) -> None:
    """Delete a file of a workspace.

    Args:
        workspace: absolute path of the folder.
        inside: path in it, without links.

    Raises:
        OSError: it is still there, or never was.
    """
    *folders, name = inside.split("/")
    with contextlib.ExitStack() as open_folders:
        place = _enter(open_folders, os.path.realpath(workspace), None)
        for folder in folders:
            place = _enter(open_folders, folder, place)
        os.unlink(name, dir_fd=place)


def make_folder_inside(workspace: str, inside: str) -> None:
    """Make a folder of a workspace, and those above it, where they are missing.

    Args:
        workspace: absolute path of the folder.
        inside: path in it, without links.

    Raises:
        OSError: it is not there; a link on the way, a file in its place and the like.
    """
    with contextlib.ExitStack() as open_folders:
        place = _enter(open_folders, os.path.realpath(workspace), None)
        for folder in inside.split("/"):
            with contextlib.suppress(FileExistsError):
                os.mkdir(folder, dir_fd=place)
            place = _enter(open_folders, folder, place)


def _enter(open_folders: contextlib.ExitStack, name: str, above: int | None) -> int:
    found = os.open(name, _FOLDER, dir_fd=above)
    open_folders.callback(os.close, found)
    return found


def _mode_of(name: str, place: int) -> int | None:
    """Give the mode of the file that is there; none where there is none."""
    try:
        found = os.stat(name, dir_fd=place, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "is no regular file")
    return stat.S_IMODE(found.st_mode) & 0o777


def _fill(fd: int, content: bytes, mode: int | None) -> None:
    with os.fdopen(fd, "wb") as file:
        file.write(content)
        if mode is not None:
            os.fchmod(file.fileno(), mode)
