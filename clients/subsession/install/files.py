"""Files of other programs: read whole, replaced whole, with the newest few of what stood there.

A file is written beside the old one and takes its place in one step, so that whoever is killed
leaves the one or the other. Mode and owner stay, and a link stays a link: its target is replaced.
"""

import fcntl
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

LARGEST_BYTES: Final = 16 * 1024 * 1024
"""Of a file that is edited; the largest seen has a tenth of it."""

BACKUPS: Final = 3
"""How many are kept beside a file."""

_BACKUP: Final = ".subsession-backup-"
_FRESH: Final = ".subsession-new"
_MODE: Final = 0o600
"""Of a file that was not there: these hold keys sooner or later."""


class Refusal(Exception):
    """A file is left as it is; says which and why."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path}: {why}")
        self.path = path
        self.why = why


@dataclass(frozen=True, slots=True)
class Found:
    """A file as it was read."""

    path: Path
    """As it is named."""
    real: Path
    """Where it is, past all links."""
    data: bytes | None
    """What stands in it; none where there is no file."""


def read(path: Path) -> Found:
    """Read a file.

    Raises:
        Refusal: it cannot be read, or is none that could be replaced.
    """
    real = Path(os.path.realpath(path))
    try:
        # Why not to wait: a pipe in place of the file would be waited for.
        number = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            about = os.fstat(number)
            if not stat.S_ISREG(about.st_mode):
                raise Refusal(path, "is no file")
            if about.st_size > LARGEST_BYTES:
                raise Refusal(path, "is too large to be edited")
            return Found(path, real, _all_of(number))
        finally:
            os.close(number)
    except FileNotFoundError:
        return Found(path, real, None)
    except OSError as fault:
        raise Refusal(path, f"cannot be read ({fault.strerror})") from fault


def _all_of(number: int) -> bytes:
    with open(number, "rb", closefd=False) as file:
        return file.read()


def check_writable(found: Found) -> None:
    """Make sure that a file may be replaced, before anybody is asked whether it shall.

    Raises:
        Refusal: it is write-protected, or another user's.
    """
    if found.data is None:
        return
    about = found.real.stat()
    if not about.st_mode & stat.S_IWUSR:
        raise Refusal(found.path, "is write-protected")
    if os.geteuid() not in (0, about.st_uid):
        raise Refusal(found.path, "belongs to another user")
    if not os.access(found.real.parent, os.W_OK):
        raise Refusal(found.path, "lies in a folder that cannot be written")


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep others of our kind out while files are compared and replaced.

    Args:
        folder: of ours; made where there is none.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = os.open(folder / "install.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def replace(found: Found, data: bytes) -> Path | None:
    """Put other bytes in place of a file's, and make the folders it lies in.

    Returns:
        Where the old ones are kept, if there were any.

    Raises:
        Refusal: it could not be done, and the file is as it was.
    """
    try:
        found.real.parent.mkdir(parents=True, exist_ok=True)
        backup = _keep(found)
        _swap(found, data)
    except OSError as fault:
        raise Refusal(found.path, f"cannot be written ({fault.strerror})") from fault
    return backup


def remove(found: Found, folders: tuple[Path, ...]) -> None:
    """Remove a file that holds nothing any more, and the folders that were made for it.

    Args:
        found: the file.
        folders: the outermost first; one that holds something else stays.

    Raises:
        Refusal: it could not be done.
    """
    try:
        found.real.unlink()
    except OSError as fault:
        raise Refusal(found.path, f"cannot be removed ({fault.strerror})") from fault
    for folder in reversed(folders):
        with suppress(OSError):  # somebody has put something into it, which is a reason to stay
            folder.rmdir()


def missing_folders(found: Found) -> tuple[Path, ...]:
    """Give the folders above a file that are not there, the outermost first."""
    above = (found.real.parent, *found.real.parent.parents)
    return tuple(reversed([folder for folder in above if not folder.exists()]))


def _keep(found: Found) -> Path | None:
    """Keep what stands there, and no more than the newest few."""
    if found.data is None:
        return None
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
    backup = found.real.with_name(f"{found.real.name}{_BACKUP}{stamp}.{time.time_ns() % 10**9:09d}")
    _write(backup, found.data, found.real.stat())
    for old in _backups(found)[:-BACKUPS]:
        old.unlink()
    return backup


def _backups(found: Found) -> list[Path]:
    """Give the backups of a file, oldest first."""
    start = found.real.name + _BACKUP
    return sorted(one for one in found.real.parent.iterdir() if one.name.startswith(start))


def _swap(found: Found, data: bytes) -> None:
    """Write beside the file, then take its place."""
    # Why one name for all: what somebody who was killed has left is written over.
    fresh = found.real.with_name(f".{found.real.name}{_FRESH}")
    about = found.real.stat() if found.data is not None else None
    with suppress(FileNotFoundError):
        fresh.unlink()
    _write(fresh, data, about)
    fresh.replace(found.real)
    folder = os.open(found.real.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _write(path: Path, data: bytes, about: os.stat_result | None) -> None:
    """Write a new file, with mode and owner of another."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    file = os.open(path, flags, _MODE)
    with open(file, "wb") as out:  # noqa: PTH123 -- a descriptor has no path
        if about is not None:
            if (about.st_uid, about.st_gid) != (os.geteuid(), os.getegid()):
                os.fchown(file, about.st_uid, about.st_gid)
            os.fchmod(file, stat.S_IMODE(about.st_mode))
        out.write(data)
        out.flush()
        os.fsync(file)
