"""The state directory belongs to one daemon at a time, by a lock the system releases by itself.

The number in the lock file is for people; nothing here believes it.
"""

import errno
import fcntl
import os
import re
import stat
from pathlib import Path
from types import TracebackType
from typing import Self

from subsessiond.ports import StoreFault

LOCK_NAME = "lock"
MOUNTS = Path("/proc/self/mountinfo")

# Why these: their locks are missing, optional or not seen by other machines, and a registry that
# two machines write is a registry lost.
_WITHOUT_LOCKS = frozenset(
    (
        *("nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "9p", "coda", "ceph", "lustre"),
        *("beegfs", "gpfs", "glusterfs", "orangefs", "davfs", "vboxsf", "vmhgfs", "drvfs"),
        *("fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.gcsfuse", "fuse.glusterfs"),
        *("fuse.davfs2", "fuse.vmhgfs-fuse", "fuse.juicefs", "fuse.ceph", "fuse.cephfs"),
    ),
)
_TAKE_ATTEMPTS = 8  # a lock file is replaced under our hands once, perhaps twice, never eight times
_HOLDER_BYTES = 64
_OCTAL = re.compile(r"\\([0-7]{3})")  # how the table of mounts spells spaces


class StateHeldFault(StoreFault):
    """Another daemon serves this state directory; nothing was changed."""


class StateLock:
    """A held lock. It ends with `release`, or with the process however that ends."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor: int | None = descriptor
        self._identity = _identity(os.fstat(descriptor))

    @classmethod
    def take(cls, directory: Path, *, mounts: Path = MOUNTS) -> Self:
        """Take the lock of a state directory, which is made (0700) when it does not exist.

        Args:
            directory: The state directory; links and relative paths lead to the same lock.
            mounts: The kernel's table of mounts.

        Raises:
            StateHeldFault: another process holds it.
            StoreFault: the directory cannot be used, and why.
        """
        refuse_network(directory, mounts)
        directory = _own_directory(directory)
        for _ in range(_TAKE_ATTEMPTS):
            lock = cls(directory / LOCK_NAME, _open(directory / LOCK_NAME))
            if lock._flock() and lock._is_in_place():
                lock._sign()
                return lock
            lock.release()
        raise StoreFault(f"taking {directory / LOCK_NAME}: the file is replaced again and again")

    def check(self) -> None:
        """Make sure the lock still stands for the directory.

        Raises:
            StoreFault: fatal; somebody removed or replaced the lock file, or it was released.
        """
        if self._descriptor is None or not self._is_in_place():
            message = f"{self.path} was removed or replaced while this daemon held it"
            raise StoreFault(message, fatal=True)

    def release(self) -> None:
        """Let go; idempotent. The file stays, because removing it would race with the next one."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()

    def _flock(self) -> bool:
        assert self._descriptor is not None
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = holder_of(self.path.parent)
            self.release()
            says = f" (process {holder}, it says)" if holder else ""
            message = f"another daemon{says} serves {self.path.parent}"
            raise StateHeldFault(message) from None
        except OSError as fault:
            self.release()
            message = f"{self.path.parent} lies where files cannot be locked: {fault.strerror}"
            raise StoreFault(message) from fault
        return True

    def _is_in_place(self) -> bool:
        try:
            return _identity(os.stat(self.path, follow_symlinks=False)) == self._identity
        except OSError:
            return False

    def _sign(self) -> None:
        assert self._descriptor is not None
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)


def holder_of(directory: Path) -> str:
    """Read which process says that it holds a state directory; for people, maybe stale or empty."""
    try:
        with open(directory / LOCK_NAME, "rb") as file:
            words = file.read(_HOLDER_BYTES).split()
    except OSError:
        return ""
    return words[0].decode() if words and words[0].isdigit() else ""


def refuse_network(directory: Path, mounts: Path = MOUNTS) -> None:
    """Refuse a directory on a file system whose locks do not bind everybody.

    Raises:
        StoreFault: names the directory and the kind of file system.
    """
    kind = _kind_of(os.path.realpath(directory), mounts)
    if kind in _WITHOUT_LOCKS:
        message = (
            f"{directory} lies on a file system of kind {kind}, which does not lock files "
            "reliably; put the state directory on a local disk"
        )
        raise StoreFault(message)


def _kind_of(path: str, mounts: Path) -> str:
    """Find the kind of the innermost mount that holds a path; empty where nobody tells (macOS)."""
    try:
        table = mounts.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""
    best, kind = "", ""
    for line in table.splitlines():
        fields, _, tail = line.partition(" - ")
        point = _OCTAL.sub(lambda found: chr(int(found[1], 8)), fields.split(" ")[4])
        inside = path == point or path.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):  # of two mounts on one point, the later is on top
            best, kind = point, tail.split(" ")[0]
    return kind


def _own_directory(directory: Path) -> Path:
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = directory.stat()
    except OSError as fault:
        raise StoreFault(f"using {directory} as state directory: {fault.strerror}") from fault
    if status.st_uid != os.geteuid():
        raise StoreFault(f"using {directory} as state directory: it belongs to another user")
    return directory


def _open(path: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        descriptor = os.open(path, flags, 0o600)
    except IsADirectoryError:
        message = f"{path} is a directory, where a file is expected; move it away"
        raise StoreFault(message) from None
    except OSError as fault:
        said = "it is a link" if fault.errno == errno.ELOOP else fault.strerror
        raise StoreFault(f"opening {path}: {said}") from fault
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise StoreFault(f"{path} is not a file; move it away")
    return descriptor


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino
