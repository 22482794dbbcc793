"""The way from a workspace to a journal, one directory at a time, and never through a link."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from subsessiond.model.ids import NodeId, is_node_id

HOME = ".subsession"
JOURNALS = "journals"
ENDING = ".journal.jsonl"
FILE_MOST_BYTES = 512 * 1024 * 1024
"""A larger journal is not looked at: only somebody who wants to keep the daemon busy makes one."""

_IGNORE = b"*\n"

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Why non-blocking: a planted pipe would hold the open for ever.
_FILE = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


class JournalFault(Exception):
    """A journal cannot be reached; says which and why."""


def name_of(node_id: NodeId) -> str:
    """Name a node's journal.

    Raises:
        JournalFault: the id is not one that this program gives.
    """
    if not is_node_id(node_id):
        raise JournalFault(f"{node_id[:40]!r} is no node id")
    return node_id + ENDING


@contextmanager
def journals_folder(workspace: str, *, make: bool) -> Iterator[int]:
    """Open the folder of journals of a workspace and give its descriptor.

    Args:
        workspace: Absolute path, links resolved.
        make: Whether to make what is missing; the workspace itself is never made.

    Raises:
        JournalFault: something on the way is a link, another user's, or cannot be used.
        FileNotFoundError: something on the way is missing.
    """
    descriptors: list[int] = []
    try:
        descriptors.append(_open(workspace, None, workspace))
        for name in (HOME, JOURNALS):
            path = f"{workspace}/{HOME}" if name == HOME else f"{workspace}/{HOME}/{JOURNALS}"
            if make:
                _make(name, descriptors[-1], path)
            descriptors.append(_open(name, descriptors[-1], path))
            if make and name == HOME:
                _hide(descriptors[-1], path)
        yield descriptors[-1]
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def open_file(folder: int, name: str, flags: int) -> int:
    """Open a journal in its folder; the caller closes it.

    Raises:
        JournalFault: it is a link, a second name of another file, no file at all, or too large.
        FileNotFoundError: it is missing and `flags` do not create it.
    """
    try:
        descriptor = os.open(name, flags | _FILE, 0o600, dir_fd=folder)
    except FileNotFoundError:
        raise
    except OSError as fault:
        raise JournalFault(f"opening {name}: {_said(fault)}") from fault
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
        os.close(descriptor)
        raise JournalFault(f"opening {name}: it is not a file of its own")
    if status.st_size > FILE_MOST_BYTES:
        os.close(descriptor)
        raise JournalFault(f"opening {name}: it has {status.st_size} bytes, more than any journal")
    return descriptor


def _open(name: str, inside: int | None, path: str) -> int:
    try:
        descriptor = os.open(name, _DIRECTORY, dir_fd=inside)
    except FileNotFoundError:
        raise
    except OSError as fault:
        raise JournalFault(f"opening {path}: {_said(fault)}") from fault
    if inside is not None and os.fstat(descriptor).st_uid != os.geteuid():
        os.close(descriptor)
        raise JournalFault(f"opening {path}: it belongs to another user")
    return descriptor


def _make(name: str, inside: int, path: str) -> None:
    try:
        os.mkdir(name, 0o700, dir_fd=inside)
        os.fsync(inside)
    except FileExistsError:
        return
    except OSError as fault:
        raise JournalFault(f"making {path}: {_said(fault)}") from fault


def _hide(home: int, path: str) -> None:
    """Keep the folder out of git by a file of its own, so that no file of the project changes."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FILE
    try:
        descriptor = os.open(".gitignore", flags, 0o600, dir_fd=home)
    except FileExistsError:
        return
    except OSError as fault:
        raise JournalFault(f"writing {path}/.gitignore: {_said(fault)}") from fault
    try:
        os.write(descriptor, _IGNORE)
    finally:
        os.close(descriptor)


def _said(fault: OSError) -> str:
    # Linux says "not a directory" of a link that was to be opened as one.
    is_link = fault.errno in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK)
    return "it is a link or not what it should be" if is_link else str(fault.strerror)
