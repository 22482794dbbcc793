"""What an earlier daemon left is ended by proof; a stranger never."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from subsessiond.adapters.processes import LinuxProcesses
from subsessiond.model.process import ContainerKind, Identity
from tests.contract.processes.conftest import AGENTS, available, launch, marked, own, until

CHAIN = str(AGENTS / "chain.sh")
LEFT = "(setsid sh {chain} worker {file} &); sh {chain} shell {file}"


@pytest.fixture
async def left(kind: str, tmp_path: Path) -> Identity:
    """The identity of a child with a chain and an escaped worker, whose daemon was killed."""
    ticks = tmp_path / "ticks"
    return await leave(kind, ticks, "sh", "-c", LEFT.format(chain=CHAIN, file=ticks))


async def leave(kind: str, ticks: Path, *program: str) -> Identity:
    """Let a daemon start a program and kill the daemon once the program writes."""
    command = (sys.executable, str(AGENTS / "old_daemon.py"), kind, own("left"), *program)
    daemon = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert daemon.stdout is not None
    line = await daemon.stdout.readline()
    await until(ticks.exists)
    daemon.kill()
    await daemon.wait()
    return msgspec.json.decode(line, type=Identity)


async def test_next_daemon_ends_what_was_left(processes: LinuxProcesses, left: Identity) -> None:
    """Everything of a killed daemon's child is gone after one call, and a second finds nothing."""
    stopped = await processes.end(left, grace_ms=200)
    assert not stopped.leftovers
    assert not processes.is_alive(left)
    assert processes.pids_of(left) == ()
    assert marked("left") == ()
    again = await processes.end(left, grace_ms=200)
    assert not again.forced
    assert not again.leftovers
    assert not left.cgroup or not Path(left.cgroup).exists()


async def test_escaped_workers_are_found_without_their_leader(
    processes: LinuxProcesses, left: Identity
) -> None:
    """The leader's death in between hides nobody."""
    if left.container == "cgroup":  # the others' first process ended with its daemon
        os.kill(left.pid, 9)
    assert not (await processes.end(left, grace_ms=0)).leftovers
    assert marked("left") == ()


async def test_what_was_never_recorded_is_ended_by_its_mark(
    processes: LinuxProcesses, left: Identity
) -> None:
    """A daemon that died before it wrote the identity down leaves nothing for ever either."""
    assert not (await processes.end_named(own("other"))).forced
    assert left.container != "cgroup" or marked("left")
    assert not (await processes.end_named(own("left"))).leftovers
    assert marked("left") == ()
    assert not left.cgroup or not Path(left.cgroup).exists()


async def test_what_was_never_recorded_and_hides_is_ended_by_its_group(tmp_path: Path) -> None:
    """A group is named after its node: not even `env -i setsid` is missed, by any next daemon."""
    if ContainerKind.CGROUP not in available():
        pytest.skip("this user cannot make groups on this machine")
    for kind in (ContainerKind.CGROUP, ContainerKind.DESCENT):
        ticks = tmp_path / kind
        hiding = ("sh", "-c", f"env -i setsid sh {CHAIN} worker {ticks}")
        left = await leave(ContainerKind.CGROUP, ticks, *hiding)
        processes = LinuxProcesses(container=kind)
        assert processes.is_alive(left)
        assert not (await processes.end_named(own("lef"))).forced
        assert processes.is_alive(left)
        stopped = await processes.end_named(own("left"))
        assert (stopped.forced, stopped.leftovers) == (True, ())
        assert not processes.is_alive(left)
        assert not Path(left.cgroup).exists()
        await processes.aclose()


async def test_weakest_adapter_ends_any_kind(left: Identity) -> None:
    """The next daemon may use another kind of container than the one before."""
    processes = LinuxProcesses(container="descent")
    assert not (await processes.end(left, grace_ms=0)).leftovers
    await processes.aclose()
    assert marked("left") == ()


@pytest.fixture
def stranger() -> Iterator["subprocess.Popen[bytes]"]:
    """A process in a session of its own that has nothing to do with any child."""
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as process:
        yield process
        process.kill()


def start_of(pid: int) -> int:
    """Read when a process started."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])


@pytest.mark.scenario("S26")
@pytest.mark.parametrize("off", [-5, 5, -(10**6)])
async def test_reused_number_is_not_signalled(
    processes: LinuxProcesses, stranger: "subprocess.Popen[bytes]", off: int
) -> None:
    """A number that now belongs to a process that started at another time is left alone."""
    process = await processes.spawn(launch("true"))
    await process.wait_exit()
    await process.stop()
    forged = msgspec.structs.replace(
        process.identity, pid=stranger.pid, start_ticks=max(1, start_of(stranger.pid) + off)
    )
    stopped = await processes.end(forged, grace_ms=50)
    assert not stopped.forced
    assert not processes.is_alive(forged)
    assert processes.pids_of(forged) == ()
    assert stranger.poll() is None


@pytest.mark.scenario("S26")
async def test_other_boot_is_not_signalled(
    processes: LinuxProcesses, stranger: "subprocess.Popen[bytes]"
) -> None:
    """After a reboot nothing can be left, whatever number, time and mark say."""
    forged = Identity(
        pid=stranger.pid,
        start_ticks=start_of(stranger.pid),
        boot_id="00000000-0000-0000-0000-000000000000",
        container=processes.kind,
        cgroup="/sys/fs/cgroup/unified",
        marker=f"SUBSESSION_NODE={own('n1')}",
    )
    assert not (await processes.end(forged, grace_ms=50)).forced
    assert stranger.poll() is None


@pytest.mark.parametrize(
    "path",
    ["/sys/fs/cgroup/unified", "/", "", "/sys/fs/cgroup/system.slice/x", "/subsessiond-x/.."],
)
async def test_group_that_is_not_ours_is_refused_in_words(
    stranger: "subprocess.Popen[bytes]", path: str
) -> None:
    """An identity that names a foreign group ends nothing, and says so."""
    processes = LinuxProcesses(container="descent")
    boot_id = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    forged = Identity(
        pid=stranger.pid,
        start_ticks=start_of(stranger.pid),
        boot_id=boot_id,
        container="cgroup",
        cgroup=path,
        marker=f"SUBSESSION_NODE={own('n1')}",
    )
    stopped = await processes.end(forged, grace_ms=0)
    assert "nothing was signalled" in stopped.leftovers[0]
    assert processes.pids_of(forged) == ()
    assert stranger.poll() is None
    await processes.aclose()


@pytest.mark.parametrize("kind", ["pidns", "descent"], indirect=True)
async def test_what_has_a_keeper_dies_with_its_daemon(
    processes: LinuxProcesses, left: Identity
) -> None:
    """Below a keeper nothing outlives the daemon, so nothing has to be ended later."""
    await until(lambda: marked("left") == ())
    assert not (await processes.end(left)).forced
