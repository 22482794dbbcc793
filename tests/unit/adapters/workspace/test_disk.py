import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from subsessiond.adapters.workspace import disk as workspace_module
from subsessiond.adapters.workspace.disk import LOOKS_MOST, DiskWorkspace
from subsessiond.ports import WorkspaceFault


class DeadMount:
    """A file system that does not answer until the test lets it."""

    def __init__(self) -> None:
        self.answers = threading.Event()

    def look(self, path: str) -> str:
        """Hang."""
        if not self.answers.wait(20):
            raise AssertionError("nobody let it go")
        return path


@pytest.fixture
def dead(monkeypatch: pytest.MonkeyPatch) -> Iterator[DeadMount]:
    """Let every look at a folder hang."""
    made = DeadMount()
    monkeypatch.setattr(workspace_module, "_real_folder", made.look)
    yield made
    made.answers.set()
    for thread in threading.enumerate():
        if thread.name == "workspace look":
            thread.join(10)


async def test_a_dead_mount_is_a_fault_within_its_bound(dead: DeadMount) -> None:
    """A folder that does not answer is refused in words, while the loop goes on."""
    disk = DiskWorkspace(look_s=0.02)
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0)

    ticking = asyncio.create_task(tick())
    with pytest.raises(WorkspaceFault, match=r"looking at /dead took longer than 0.02 s"):
        await disk.open("/dead")
    ticking.cancel()
    assert ticks > 1
    dead.answers.set()
    disk.close()


async def test_what_hangs_holds_up_nothing_else(dead: DeadMount) -> None:
    """Looks at a dead mount leave patterns of other folders readable, up to a bound of threads."""
    disk = DiskWorkspace(look_s=0.01)
    for _ in range(LOOKS_MOST - 1):
        with pytest.raises(WorkspaceFault):
            await disk.open("/dead")
    patient = DiskWorkspace(look_s=10)
    assert (await patient.normal_forms("/", ("etc",)))[0] == ("etc",)
    with pytest.raises(WorkspaceFault, match="took longer"):
        await disk.open("/dead")
    with pytest.raises(WorkspaceFault, match="a file system hangs"):
        await disk.open("/dead")
    dead.answers.set()
    for thread in threading.enumerate():
        if thread.name == "workspace look":
            thread.join(10)
    disk.close()
    patient.close()


async def test_a_closed_one_looks_no_more() -> None:
    """After the end of the daemon began, nothing is looked at."""
    disk = DiskWorkspace()
    disk.close()
    disk.close()
    with pytest.raises(WorkspaceFault, match="stopping"):
        await disk.open("/")


async def test_a_caller_who_left_does_no_harm(dead: DeadMount) -> None:
    """An answer to somebody who was cancelled is dropped."""
    disk = DiskWorkspace(look_s=10)
    asked = asyncio.create_task(disk.open("/dead"))
    await asyncio.sleep(0)
    asked.cancel()
    await asyncio.wait((asked,))
    dead.answers.set()
    disk.close()
    await asyncio.sleep(0)


def test_an_answer_after_the_loop_has_closed_is_dropped(dead: DeadMount) -> None:
    """What answers when the daemon has ended finds nobody, and that is all."""

    async def ask() -> None:
        with pytest.raises(WorkspaceFault):
            await DiskWorkspace(look_s=0.01).open("/dead")

    asyncio.run(ask())
    dead.answers.set()


async def test_a_stall_of_the_daemon_is_not_the_disks(
    dead: DeadMount, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the loop itself was late, the answer is waited for once more."""
    disk = DiskWorkspace(look_s=0.2)
    real_wait, calls = asyncio.wait, 0

    async def stalled(futures: Any, timeout: float) -> Any:  # noqa: ASYNC109
        nonlocal calls
        calls += 1
        if calls > 1:
            return await real_wait(futures, timeout=timeout)
        await asyncio.to_thread(threading.Event().wait, 0.6)
        done = await real_wait(futures, timeout=0)
        dead.answers.set()
        return done

    monkeypatch.setattr(asyncio, "wait", stalled)
    assert await disk.open("/dead") == "/dead"
    disk.close()


@pytest.mark.parametrize("path", [".", "", "work", "../work"])
async def test_a_relative_workspace_is_refused(path: str) -> None:
    """A path that would be read beside the daemon is not what the caller means."""
    disk = DiskWorkspace()
    with pytest.raises(WorkspaceFault, match="must be absolute"):
        await disk.open(path)
    disk.close()


@pytest.mark.scenario("S20")
async def test_nobody_reads_patterns_on_for_a_caller_who_was_refused() -> None:
    """A list that takes minutes to read is left when its caller was told so."""
    nasty = "{" + ",".join("abcdefghijklmnopqrst") + "}" + "/a" * 200
    disk = DiskWorkspace(look_s=0.01)
    with pytest.raises(WorkspaceFault, match="took longer"):
        await disk.normal_forms("/", (nasty,) * 200)
    looks = [one for one in threading.enumerate() if one.name == "workspace look"]
    assert len(looks) == 1
    looks[0].join(5)
    assert not looks[0].is_alive()
    disk.close()
