"""A cgroup that root has made over to an ordinary user, as a service manager does."""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from subsessiond.adapters.processes.groups import candidates, is_writable
from subsessiond.adapters.processes.proc import ProcTable
from tests.support.ordinary import UID

FILES = ("", "cgroup.procs", "cgroup.threads", "cgroup.subtree_control")
GONE_S = 5.0


@contextmanager
def delegated(*, wanted: bool) -> Iterator[str]:
    """Give the folder of such a group for as long as the block takes; empty where none is wanted.

    Skips the test where this user can make no groups.
    """
    if not wanted:
        yield ""
        return
    table = ProcTable()
    parent = next(filter(is_writable, candidates(table)), None)
    table.close()
    if parent is None:
        pytest.skip("this user cannot make groups on this machine")
    group = Path(tempfile.mkdtemp(prefix="ssd-user-", dir=parent))
    try:
        for name in FILES:
            with suppress(FileNotFoundError):
                os.chown(group / name, UID, UID)
        yield str(group)
    finally:
        _remove(group)


def _remove(group: Path) -> None:
    """Remove it once its last process has left, which nobody tells."""
    until = time.monotonic() + GONE_S
    while True:
        try:
            group.rmdir()
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)
        else:
            return
