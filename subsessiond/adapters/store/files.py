"""The files of the state directory: their names, and how they are replaced without a gap."""

import contextlib
import errno
import os
import stat
from pathlib import Path

import msgspec

from subsessiond.ports import StoreFault

_SIDE_FILES = ("-wal", "-shm", "-journal")


class Places:
    """Where everything of the store is."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.store = directory / "registry.sqlite"
        self.fresh = directory / "registry.fresh"
        self.left = directory / "registry.left.json"
        self.renew = directory / "registry.renew"
        self.workspaces = directory / "workspaces.json"
        self.ballast = directory / "ballast"
        self.backups = directory / "backups"

    def side_files(self, store: Path) -> tuple[Path, ...]:
        """Name the files SQLite keeps beside a store."""
        return tuple(store.with_name(store.name + end) for end in _SIDE_FILES)


class Left(msgspec.Struct, frozen=True):
    """What a daemon left in the state directory."""

    uuid: str
    device: int
    inode: int
    seq: int
    """The store had at least this sequence number."""


def read_left(places: Places) -> Left | None:
    """Read what the last daemon left; none when there was none, or it cannot be told."""
    try:
        return msgspec.json.decode(places.left.read_bytes(), type=Left)
    except (OSError, msgspec.MsgspecError):
        return None


def replace_file(path: Path, content: bytes) -> None:
    """Put content in place of a file, durably: always the old or the new."""
    fresh = path.with_name(path.name + ".new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(fresh, flags, 0o600)
    try:
        with open(descriptor, "wb", closefd=False) as file:
            file.write(content)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.replace(fresh, path)
    sync_directory(path.parent)


def write_plainly(path: Path, content: bytes) -> None:
    """Write a file without waiting for a disk, which may be the one that just failed.

    A power cut forgets it, and with it the memory that cannot be trusted.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(path, flags, 0o600), "wb") as file:
        file.write(content)


def remove_file(path: Path) -> None:
    """Remove a file that may be gone already."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def sync_directory(path: Path) -> None:
    """Make the names in a directory durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file(path: Path) -> None:
    """Make the content of a file durable."""
    descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_empty(path: Path) -> None:
    """Make an empty file that only its owner may read."""
    remove_file(path)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    os.close(os.open(path, flags, 0o600))


def head_of(path: Path, length: int) -> bytes | None:
    """Read the first bytes of a store; none when there is no file.

    Wart: only while nothing has it open. Closing any descriptor of a file drops the locks that
    SQLite holds on it in this process.

    Raises:
        StoreFault: it may not be read, or is not a file of ours.
    """
    flags = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        descriptor = os.open(path, flags)
    except FileNotFoundError:
        return None
    except OSError as fault:
        said = "it is a link" if fault.errno == errno.ELOOP else fault.strerror
        raise StoreFault(f"opening {path}: {said}; nothing was changed") from fault
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise StoreFault(f"opening {path}: it is not a file; nothing was changed")
        return os.pread(descriptor, length, 0)
    finally:
        os.close(descriptor)


def set_aside(places: Places) -> Path | None:
    """Move a store that cannot be used, with all beside it, under a new name; none = no store.

    The store goes first: until its side files have followed, the next start finds no store and
    begins again, and a store never loses the commits beside it.
    """
    aside = _free_name(places)
    moved = None
    if places.store.exists():
        os.rename(places.store, aside)
        moved = aside
    for old, new in zip(places.side_files(places.store), places.side_files(aside), strict=True):
        with contextlib.suppress(FileNotFoundError):
            os.rename(old, new)
    sync_directory(places.directory)
    return moved


def _free_name(places: Places) -> Path:
    n = 1
    while True:
        aside = places.directory / f"registry.aside-{n}.sqlite"
        if not any(path.exists() for path in (aside, *places.side_files(aside))):
            return aside
        n += 1
