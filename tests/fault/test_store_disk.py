"""A disk that is full, and one that does not confirm what it was given."""

import subprocess
import sys
from pathlib import Path

from subsessiond.model.report import Stage
from tests.support import store_process
from tests.support.ledger import State

SMALL_DISK = """
set -e
mount -t tmpfs -o size=3m,mode=700 none "$1"
"$2" "$3" fill "$1/state"
cp -r "$1/state" "$4"
"""


def run(*order: str) -> list[str]:
    """Run a process to its end and give what it said."""
    done = subprocess.run(order, capture_output=True, text=True, timeout=25, check=False)
    assert done.returncode in (0, -9), done.stderr
    return done.stdout.splitlines()


async def test_a_full_disk_refuses_findings_and_takes_a_final(tmp_path: Path) -> None:
    """On a full disk a commit fails and can be retried; ballast makes room for a final."""
    (tmp_path / "disk").mkdir()
    said = run(
        *("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", SMALL_DISK, "sh"),
        *(str(tmp_path / "disk"), sys.executable, store_process.__file__, str(tmp_path / "copy")),
    )
    fault, fatal, reached, room, word, after, told = said
    assert "SQLITE_FULL" in fault
    assert (fatal, room, word) == ("False", "False", "final")
    assert int(after) == int(reached) + 2
    assert "ballast was given up" in told
    async with State(tmp_path / "copy") as state:
        ledger, _ = await state.open()
        assert ledger.tree.nodes[store_process.CHILD].seq == int(after)


async def test_a_file_that_may_not_grow_fails_one_commit(tmp_path: Path) -> None:
    """A write that fails makes nothing true; the same store goes on when it succeeds again."""
    said = run(sys.executable, store_process.__file__, "limit", str(tmp_path / "state"))
    fault, fatal, word, reached = said
    assert "SQLITE_IOERR_WRITE" in fault
    assert (fatal, word) == ("False", "again")
    async with State(tmp_path / "state") as state:
        ledger, warnings = await state.open()
        assert ledger.tree.seq == int(reached)
        assert warnings == ()


async def test_a_disk_that_does_not_confirm_ends_the_store(tmp_path: Path) -> None:
    """After a sync error nothing of the batch is true; the next start copies into a new file."""
    path = tmp_path / "state"
    reached, fault, fatal, second, second_fatal = run(
        sys.executable, store_process.__file__, "lie", str(path)
    )
    assert "SQLITE_IOERR_FSYNC" in fault
    assert (fatal, second_fatal) == ("True", "True")
    assert second == fault
    inode = (path / "registry.sqlite").stat().st_ino
    async with State(path) as state:
        ledger, warnings = await state.open()
        assert ledger.tree.seq >= int(reached)
        assert ledger.tree.nodes[store_process.CHILD].reports == 0
        assert (path / "registry.aside-1.sqlite").stat().st_ino == inode
        assert any("copied into a fresh file" in warning for warning in warnings)
        assert state.asked_for == [("/w",)]
        await store_process.report(ledger, "goes on", Stage.FINDING)
    async with State(path) as state:
        ledger, warnings = await state.open()
        assert warnings == ()
        assert ledger.tree.nodes[store_process.CHILD].reports == 1
