"""Room on the disk: when to refuse new work, and a ballast that is given up so that finals fit."""

import os
import sys
from pathlib import Path

from subsessiond.adapters.store.files import remove_file
from subsessiond.model.events import AnyEvent, NodeReleased, NodeSettled, ReportAccepted
from subsessiond.model.report import Stage

LOW_WATER_BYTES = 64 * 1024 * 1024
"""Below this no child is admitted: a full tree writes less than that before it has ended."""
BALLAST_BYTES = 8 * 1024 * 1024
"""Finals of a full daemon (50 children, 24 KiB each, with all their rows and pages) fit twice."""


class Room:
    """Watches the disk of one directory and keeps ballast there."""

    def __init__(self, ballast: Path, low_water_bytes: int, ballast_bytes: int) -> None:
        self._ballast = ballast
        self._low_water_bytes = low_water_bytes
        self._ballast_bytes = ballast_bytes

    def is_enough(self) -> bool:
        """Tell whether the disk has more free than the low-water mark."""
        found = os.statvfs(self._ballast.parent)
        return found.f_bavail * found.f_frsize >= self._low_water_bytes

    def lay_ballast(self) -> None:
        """Lay the ballast when it is not there and there is room for it; else do nothing."""
        if self._ballast.exists() or not self.is_enough():
            return
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            descriptor = os.open(self._ballast, flags, 0o600)
        except OSError:
            return  # a disk that cannot hold ballast has none to give
        try:
            if sys.platform == "darwin":
                os.write(descriptor, bytes(self._ballast_bytes))
            else:
                os.posix_fallocate(descriptor, 0, self._ballast_bytes)
        except OSError:
            remove_file(self._ballast)
        finally:
            os.close(descriptor)

    def free_ballast(self) -> bool:
        """Give the ballast up; tells whether there was any."""
        if not self._ballast.exists():
            return False
        remove_file(self._ballast)
        return True


def is_ending(events: tuple[AnyEvent, ...]) -> bool:
    """Tell whether a batch brings a child nearer its end: those are what the ballast is for."""
    return any(
        isinstance(event, NodeSettled | NodeReleased)
        or (isinstance(event, ReportAccepted) and event.report.stage is Stage.FINAL)
        for event in events
    )
