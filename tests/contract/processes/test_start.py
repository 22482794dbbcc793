import asyncio
import contextlib
import errno
import json
import os
import resource
import sys
from pathlib import Path
from typing import Any

import pytest

from subsessiond.adapters.processes import LinuxProcesses
from subsessiond.model.process import Exit, Launch, LaunchFault
from tests.contract.processes.conftest import (
    AGENTS,
    GRACE_MS,
    launch,
    marked,
    own,
    read_all,
    sh,
    until,
)

SHOW = str(AGENTS / "show.py")


async def look(processes: LinuxProcesses, *argv: str, **more: Any) -> dict[str, Any]:
    """Start the program that tells how it was started."""
    process = await processes.spawn(launch(sys.executable, "-I", SHOW, *argv, **more))
    return dict(json.loads(await read_all(process)))


@pytest.mark.scenario("S07")
async def test_child_has_no_terminal(kind: str) -> None:
    """Under a daemon on a terminal a child finds none: nothing can wait for somebody to type."""
    ours, theirs = os.openpty()
    helper = (sys.executable, str(AGENTS / "on_terminal.py"), kind, sys.executable, "-I", SHOW)
    daemon = await asyncio.create_subprocess_exec(
        "setsid", "--ctty", "--wait", *helper, stdin=theirs, stdout=asyncio.subprocess.PIPE
    )
    os.close(theirs)
    async with asyncio.timeout(20):
        said, _ = await daemon.communicate()
    os.set_blocking(ours, False)
    with pytest.raises(OSError, match=r"."):  # nothing was written to the terminal
        os.read(ours, 1)
    os.close(ours)
    assert daemon.returncode == 0
    assert json.loads(said)["terminal"] == os.strerror(errno.ENXIO)


async def test_child_leads_a_session_of_its_own(processes: LinuxProcesses) -> None:
    """A child is neither in the daemon's session nor the first process of its namespace."""
    seen = await look(processes)
    assert seen["session"] == seen["group"] == seen["pid"] != 1
    assert processes.kind == "pidns" or seen["session"] != os.getsid(0)


@pytest.mark.scenario("S13")
async def test_environment_is_exactly_the_given_one(
    processes: LinuxProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of the daemon's environment arrives; the mark of the node is all that is added."""
    monkeypatch.setenv("SECRET_OF_THE_DAEMON", "x")
    given = (("PATH", os.environ["PATH"]), ("ODD", "a=b\n\udcff"), ("EMPTY", ""), ("LC_ALL", "C"))
    argv = (sys.executable, "-I", "-X", "utf8", SHOW)
    process = await processes.spawn(Launch(node_id=own("n1"), argv=argv, cwd="/", env=given))
    seen = json.loads(await read_all(process))
    assert seen["environ"] == dict(given) | {"SUBSESSION_NODE": own("n1")}


@pytest.mark.scenario("S06", "S11")
async def test_child_gets_three_pipes_and_nothing_else(processes: LinuxProcesses) -> None:
    """No descriptor of the daemon is inherited, its own input least of all."""
    reading, writing = os.pipe()
    os.set_inheritable(reading, True)
    try:
        seen = await look(processes)
    finally:
        os.close(reading)
        os.close(writing)
    assert seen["descriptors"] == {"0": "pipe", "1": "pipe", "2": "pipe"}


async def test_signals_are_as_on_a_fresh_machine(processes: LinuxProcesses) -> None:
    """No signal is blocked or ignored, whatever the starter was told to ignore."""
    process = await processes.spawn(sh("grep -E 'Sig(Blk|Ign)' /proc/self/status"))
    masks = [int(line.split()[1], 16) for line in (await read_all(process)).splitlines()]
    assert masks == [0, 0]


async def test_folder_and_arguments_arrive(processes: LinuxProcesses, tmp_path: Path) -> None:
    """Arguments keep blanks, newlines, bytes that are no text, and emptiness."""
    argv = ("", " ", "a\nb", "ü", "\udcff")
    seen = await look(processes, *argv, cwd=str(tmp_path))
    assert seen["cwd"] == str(tmp_path)
    assert seen["argv"] == list(argv)


async def test_program_is_found_on_the_childs_own_path(
    processes: LinuxProcesses, tmp_path: Path
) -> None:
    """The PATH that counts is the one given."""
    program = tmp_path / "only-here"
    program.write_text("#!/bin/sh\necho found\n")
    program.chmod(0o755)
    env = (("PATH", f"/nowhere:{tmp_path}"),)
    process = await processes.spawn(
        Launch(node_id=own("n1"), argv=("only-here",), cwd="/", env=env)
    )
    assert await read_all(process) == b"found\n"


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A folder of programs that cannot be run."""
    (tmp_path / "plain").write_text("not executable\n")
    (tmp_path / "garbage").write_bytes(b"\x01\x02\x03")
    (tmp_path / "garbage").chmod(0o755)
    (tmp_path / "lost").write_text("#!/no/such/interpreter\n")
    (tmp_path / "lost").chmod(0o755)
    return tmp_path


@pytest.mark.scenario("S14")
@pytest.mark.parametrize(
    ("argv", "cwd", "words"),
    [
        (("no-such-program",), "/", "no such program"),
        (("{}/missing",), "/", "no such program"),
        (("{}/plain",), "/", "not executable"),
        (("{}/garbage",), "/", "no program this system can run"),
        (("{}/lost",), "/", "interpreter"),
        (("{}/plain/below",), "/", "no such program"),
        (("{}",), "/", "not executable"),
        (("true",), "{}/missing", "does not exist"),
        (("true",), "{}/plain", "is not a folder"),
        ((), "/", "no program is named"),
        (("true", "a\0b"), "/", "argument 1 holds a NUL"),
        (("true", "\ud800"), "/", "argument 1 is not valid text"),
        (("true", "x" * 131_072), "/", "131071 at most"),
        (("true", *["x" * 100_000] * 30), "/", "too long"),
    ],
)
async def test_what_cannot_start_says_why(
    processes: LinuxProcesses, broken: Path, argv: tuple[str, ...], cwd: str, words: str
) -> None:
    """A failed start is a fault in words, and nothing of it is left."""
    folder = str(broken)
    order = launch(*(word.replace("{}", folder) for word in argv), cwd=cwd.replace("{}", folder))
    with pytest.raises(LaunchFault) as fault:
        await processes.spawn(order)
    assert words in fault.value.reason
    assert "Errno" not in str(fault.value)
    assert marked("n1") == ()


@pytest.mark.scenario("S14")
async def test_longest_argument_is_passed(processes: LinuxProcesses) -> None:
    """The limit itself still works."""
    process = await processes.spawn(launch("sh", "-c", 'echo "${#1}"', "sh", "x" * 131_071))
    assert await read_all(process) == b"131071\n"


@pytest.mark.parametrize("node_id", ["", ".", "..", "a/b", "a b", "x" * 101, "ä"])
async def test_odd_node_ids_are_refused(processes: LinuxProcesses, node_id: str) -> None:
    """An id that would not do as a file name never reaches the kernel."""
    with pytest.raises(ValueError, match="node id"):
        await processes.spawn(Launch(node_id=node_id, argv=("true",), cwd="/"))


def descriptors() -> int:
    """Count this process's descriptors."""
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.scenario("S11")
async def test_cycles_leave_nothing(processes: LinuxProcesses) -> None:
    """After sixty children of every fate, descriptors and zombies are back to the start."""
    before = descriptors()
    for number in range(60):
        if number % 3 == 0:
            with pytest.raises(LaunchFault):
                await processes.spawn(launch("no-such-program"))
            continue
        process = await processes.spawn(launch(*(("true",), ("yes",))[number % 2]))
        await process.stop(term_grace_ms=0)
        await process.aclose()
        assert descriptors() == before
    assert marked("n1") == ()


@pytest.mark.scenario("S11")
async def test_no_descriptor_left_is_a_fault_in_words(processes: LinuxProcesses) -> None:
    """At every point where descriptors may run out the start fails whole and is forgotten."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = next(fd for fd in range(soft) if not is_open(fd))
    fates: list[str] = []
    for room in range(24):
        resource.setrlimit(resource.RLIMIT_NOFILE, (free + room, hard))
        try:
            fates.append(await start_and_stop(processes))
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert marked("n1") == ()
    failed = [fate for fate in fates if fate != "ended"]
    assert fates == failed + ["ended"] * (len(fates) - len(failed))
    assert 0 < len(failed) < len(fates)
    assert all("too many files are open" in fate for fate in failed)
    process = await processes.spawn(launch("true"))
    assert await process.wait_exit() == Exit(code=0)


async def start_and_stop(processes: LinuxProcesses) -> str:
    """Start a child and end it with as few descriptors, or give the words of the fault."""
    try:
        process = await processes.spawn(launch("sleep", "600"))
    except LaunchFault as fault:
        return fault.reason
    stopped = await process.stop(term_grace_ms=0)
    await process.aclose()
    return " ".join(stopped.leftovers) or "ended"


def is_open(fd: int) -> bool:
    """Whether a descriptor is in use."""
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


async def test_stop_works_without_descriptors(processes: LinuxProcesses) -> None:
    """A child is ended, and proven gone, when the daemon has not one descriptor left."""
    script = "trap '' TERM; sleep 600 & setsid sleep 600 & echo up; sleep 600; sleep 600"
    process = await processes.spawn(sh(script))
    await process.read_stdout()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (128, hard))
    held = []
    try:
        with contextlib.suppress(OSError):
            while True:
                held.append(os.dup(0))
        stopped = await process.stop(term_grace_ms=GRACE_MS)
    finally:
        for fd in held:
            os.close(fd)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert len(held) > 1
    assert stopped.forced
    assert not stopped.leftovers
    assert marked("n1") == ()


async def test_cancelled_start_leaves_nothing(processes: LinuxProcesses) -> None:
    """A start that nobody wants any more is taken back, wherever it was."""
    for turns in range(12):
        start = asyncio.ensure_future(processes.spawn(launch("sleep", "600")))
        for _ in range(turns):
            await asyncio.sleep(0.002)
        start.cancel()
        try:
            process = await start
        except asyncio.CancelledError:
            await until(lambda: marked("n1") == ())
        else:
            await process.aclose()


async def test_many_start_at_once(processes: LinuxProcesses) -> None:
    """Children started together do not see each other's pipes or ends."""
    started = await asyncio.gather(
        *(
            processes.spawn(sh(f"cat; exit {number}", node_id=f"n{number}", stdin=b"x"))
            for number in range(8)
        )
    )
    async with asyncio.timeout(5):
        assert [await read_all(process) for process in started] == [b"x"] * 8
        exits = [await process.wait_exit() for process in started]
    assert exits == [Exit(code=number) for number in range(8)]
