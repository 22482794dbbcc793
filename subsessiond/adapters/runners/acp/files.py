"""`fs/read_text_file` and `fs/write_text_file`: the agent's file calls, which we carry out.

Reading is never blocked. Writing is checked by the real path at the moment of writing, and the file
is reached from the workspace down without following a link, so that nothing that changes on the way
leads elsewhere.
"""

import asyncio
import contextlib
import os
import stat
from collections.abc import Iterator
from typing import Any, Final

from subsessiond.adapters.runners.acp.connection import INTERNAL, INVALID_PARAMS, AskedWrongly
from subsessiond.adapters.runners.ownership import real_path
from subsessiond.adapters.runners.placing import write_inside
from subsessiond.adapters.runners.refusals import Refusals
from subsessiond.adapters.runners.rows import rows_of
from subsessiond.core.permit import Asked, permit
from subsessiond.model.node import Node
from subsessiond.model.role import ToolClass

NOT_FOUND: Final = -32002

FILE_BYTES: Final = 16 * 1024 * 1024
"""The largest file that is looked into."""

TEXT_BYTES: Final = 2 * 1024 * 1024
"""The most that is given of one: as JSON it may grow to six times as much, below a line's limit."""


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
        place = os.path.join(node.workspace, path)
        return {"content": await asyncio.to_thread(_read_rows, place, path, line, limit)}

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


def _read_rows(place: str, path: str, line: int | None, limit: int | None) -> str:
    """Read some lines, in a thread: to look for them in a large file takes a while."""
    raw = rows_of(_read(place, path), max(line or 1, 1) - 1, limit)
    text = raw.decode(errors="replace") if len(raw) <= TEXT_BYTES else ""
    if max(len(raw), len(text.encode())) > TEXT_BYTES:
        raise AskedWrongly(INTERNAL, "the text is too long: read it by line and limit")
    return text


def _read(place: str, path: str) -> bytes:
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
                return file.read(found.st_size)
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
