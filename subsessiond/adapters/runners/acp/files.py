"""`fs/read_text_file` and `fs/write_text_file`: the agent's file calls, which we carry out.

Reading is never blocked. Writing is checked by the real path at the moment of writing, and the file
is reached from the workspace down without following a link, so that nothing that changes on the way
leads elsewhere.
"""

import asyncio
import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from typing import Any, Final

from subsessiond.adapters.runners.acp.connection import INTERNAL, INVALID_PARAMS, AskedWrongly
from subsessiond.adapters.runners.acp.refusals import Refusals
from subsessiond.adapters.runners.ownership import real_path
from subsessiond.core.permit import Asked, permit
from subsessiond.model.node import Node
from subsessiond.model.role import ToolClass

NOT_FOUND: Final = -32002

FILE_BYTES: Final = 16 * 1024 * 1024
"""The largest file that is looked into."""

TEXT_BYTES: Final = 2 * 1024 * 1024
"""The most that is given of one: as JSON it may grow to six times as much, below a line's limit."""

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FRESH: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Files:
    """Carries out one child's file calls.

    Args:
        refusals: remembers what was refused.
    """

    def __init__(self, refusals: Refusals) -> None:
        self._refusals = refusals

    async def read(self, node: Node, params: dict[str, Any]) -> dict[str, Any]:
        """Give the text of a file, or some lines of it.

        Raises:
            AskedWrongly: there is no such text.
        """
        path = _path_of(params)
        line, limit = _count(params, "line"), _count(params, "limit")
        text = await asyncio.to_thread(_read, os.path.join(node.workspace, path), path)
        if line is not None or limit is not None:
            first = max(line or 1, 1) - 1
            *ended, last = text.split("\n")
            lines = [*(f"{row}\n" for row in ended), last]
            text = "".join(lines[first:] if limit is None else lines[first : first + limit])
        if len(text.encode()) > TEXT_BYTES:
            raise AskedWrongly(INTERNAL, "the text is too long: read it by line and limit")
        return {"content": text}

    async def write(self, node: Node, params: dict[str, Any]) -> dict[str, Any]:
        """Write a file that the node owns, whole.

        Raises:
            AskedWrongly: it may not be written, or could not be; then it is as it was.
        """
        path, content = _path_of(params), params.get("content")
        if not isinstance(content, str):
            raise AskedWrongly(INVALID_PARAMS, "Invalid params: content is no text")
        await asyncio.to_thread(self._write, node, path, content.encode())
        return {}

    def _write(self, node: Node, path: str, content: bytes) -> None:
        inside = real_path(node.workspace, path)
        refusal = permit(node, Asked(tool=ToolClass.EDIT, paths=(inside,), words=path))
        if refusal is not None:
            self._refusals.add(refusal)
            raise AskedWrongly(INTERNAL, f"refused: {refusal.why}")
        assert inside is not None
        try:
            write_inside(node.workspace, inside, content)
        except OSError as fault:
            raise _told(fault, path) from fault


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


def _read(place: str, path: str) -> str:
    try:
        with _opened(place) as fd:
            found = os.fstat(fd)
            if not stat.S_ISREG(found.st_mode):
                raise AskedWrongly(INTERNAL, f"{path} is no regular file")
            if found.st_size > FILE_BYTES:
                raise AskedWrongly(INTERNAL, f"{path} has more than {FILE_BYTES} bytes")
            # Why no more than its size: what the kernel makes up on reading has a size of 0, and
            # it would speak of the daemon, not of the child.
            with os.fdopen(os.dup(fd), "rb") as file:
                return file.read(found.st_size).decode(errors="replace")
    except (OSError, ValueError) as fault:
        raise _told(fault, path) from fault


@contextlib.contextmanager
def _opened(place: str) -> Iterator[int]:
    """Open a file without waiting for whoever may write to it, and without getting a terminal."""
    fd = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        yield fd
    finally:
        os.close(fd)


def _told(fault: OSError | ValueError, path: str) -> AskedWrongly:
    if isinstance(fault, FileNotFoundError):
        return AskedWrongly(NOT_FOUND, f"Resource not found: {path}")
    words = (fault.strerror if isinstance(fault, OSError) else None) or "is no path"
    return AskedWrongly(INTERNAL, f"{path}: {words}")


def _path_of(params: dict[str, Any]) -> str:
    path = params.get("path")
    if not isinstance(path, str) or not path:
        raise AskedWrongly(INVALID_PARAMS, "Invalid params: path is no text")
    return path


def _count(params: dict[str, Any], name: str) -> int | None:
    value = params.get(name)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise AskedWrongly(INVALID_PARAMS, f"Invalid params: {name} is no count")
    return value
