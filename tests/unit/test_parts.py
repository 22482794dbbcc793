import os
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from msgspec.structs import replace

from subsessiond.adapters.ids import RandomIds
from subsessiond.adapters.lock import StateLock
from subsessiond.adapters.peers.proc import read, stat_of
from subsessiond.adapters.processes import LinuxProcesses, PortableProcesses
from subsessiond.adapters.runners.agentprocess import nowhere
from subsessiond.adapters.workspace import DiskWorkspace
from subsessiond.core.indexes import restore
from subsessiond.engine.ledger import Ledger
from subsessiond.model.ids import NodeId
from subsessiond.model.process import Identity, ProcessFault
from subsessiond.model.role import AgentProfile
from subsessiond.parts import (
    cause_of,
    clear_scratch,
    open_processes,
    open_runners,
    open_store,
    open_transcripts,
    problem_of,
    program_of,
    watcher,
)
from subsessiond.rpc.mcp.inprocess import InProcessTools
from subsessiond.rpc.socketfile import SocketFault
from subsessiond.settings import Settings, load
from subsessiond.settings.agents import RunnerKind
from tests.support.manual_clock import ManualClock
from tests.support.memory_store import MemoryStore
from tests.support.transcripts import ListedTranscripts


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Give the shipped settings on a folder of their own."""
    return load({}, state_dir=str(tmp_path / "state"), config_dir=str(tmp_path))


async def test_linux_has_containers(settings: Settings) -> None:
    """On Linux children run in the strongest container, or in the one that was asked for."""
    strongest = open_processes(settings, "linux")
    assert isinstance(strongest, LinuxProcesses)
    await strongest.aclose()
    weakest = open_processes(replace(settings, container="descent"), "linux")
    assert weakest.kind == "descent"
    await weakest.aclose()


async def test_other_systems_say_what_they_lack(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    """Elsewhere children run in groups, and the log names everything that is missing."""
    made = open_processes(settings, "darwin")
    assert isinstance(made, PortableProcesses)
    await made.aclose()
    said = capsys.readouterr().out
    assert all(words in said for words in made.missing)


async def test_an_agent_that_runs_is_told_from_one_that_does_not(settings: Settings) -> None:
    """Not by its number alone, however often one asks; where nothing can tell, it does not run."""
    spot = stat_of(os.getpid()).spot
    boot = read("/proc/sys/kernel/random/boot_id").decode().strip()
    agent = Identity(
        pid=spot.pid, start_ticks=spot.start_ticks, boot_id=boot, container="agent", marker=""
    )
    made, bare = open_processes(settings), open_processes(settings, "darwin")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        assert watcher(made)(agent)
    for other in (replace(agent, start_ticks=1), replace(agent, boot_id="another")):
        assert not watcher(made)(other)
    assert len(os.listdir("/proc/self/fd")) == before
    assert not watcher(bare)(agent)
    await made.aclose()
    await bare.aclose()


def test_a_container_that_is_not_there_is_refused(settings: Settings) -> None:
    """A kind that was asked for and does not exist here is a fault, not a weaker kind."""
    with pytest.raises(ProcessFault, match="no containers of kind 'pidns'"):
        open_processes(replace(settings, container="pidns"), "darwin")


async def test_every_runner_has_the_name_that_profiles_use(settings: Settings) -> None:
    """What a profile may name as its runner, as far as it is built, is there."""
    processes = open_processes(settings)
    workspace = DiskWorkspace()
    runners = open_runners(
        settings, processes, ListedTranscripts(), RandomIds(), workspace, InProcessTools(), nowhere
    )
    assert set(runners) <= set(RunnerKind)
    assert {"command", "scripted", "jsonl", "acp", "model"} <= set(runners)
    workspace.close()
    await processes.aclose()


async def test_transcripts_lie_in_the_state_directory(settings: Settings) -> None:
    """What a runner writes down is there once the parts are closed."""
    settings.state_dir.mkdir()
    node = NodeId("0" * 26)
    counts = Ledger(MemoryStore(), ManualClock())
    async with AsyncExitStack() as parts:
        transcript = open_transcripts(settings, ManualClock(), counts, parts).open(node)
        transcript.write("out", b"said\n")
        transcript.close()
    (file,) = (settings.state_dir / "transcripts" / node).iterdir()
    assert "said" in file.read_text()


async def test_store_and_journals_are_closed_together(settings: Settings) -> None:
    """The store opens on its lock, loads an empty tree, and leaves nothing open."""
    with StateLock.take(settings.state_dir) as lock:
        async with AsyncExitStack() as parts:
            store, journals = open_store(settings, lock, parts)
            loaded = await store.load(restore)
            assert loaded.tree.seq == 0
            assert await journals.read("/nowhere", "x", 1, 1) == ()  # type: ignore[arg-type]


async def test_a_broken_store_is_mended_from_the_journals(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    """A store that cannot be used is rebuilt with what the journals know, and the log says so."""
    settings.state_dir.mkdir()
    (settings.state_dir / "registry.sqlite").write_bytes(b"no store at all" * 100)
    with StateLock.take(settings.state_dir) as lock:
        async with AsyncExitStack() as parts:
            store, _ = open_store(settings, lock, parts)
            loaded = await store.load(restore)
    assert any("cannot be used" in warning for warning in loaded.warnings)
    del capsys


def test_what_an_agent_lacks_is_known_before_its_first_child() -> None:
    """A loop without its key, a program that is nowhere; of what comes later nothing is known."""
    loop = AgentProfile(name="l", runner="model", endpoint="http://h", model="m", key_from="NO_KEY")
    assert "NO_KEY, which is not set" in problem_of(loop)
    assert problem_of(AgentProfile(name="c", runner="command")) == ""
    lost = AgentProfile(name="a", runner="acp", command=("no-such-agent", "--acp"))
    assert problem_of(lost) == "there is no program 'no-such-agent' on the daemon's PATH"
    assert program_of(lost) == ""
    shell = AgentProfile(name="s", runner="acp", command=("sh",))
    assert Path(program_of(shell)).name == "sh"
    assert problem_of(shell) == ""
    wrapped = AgentProfile(name="w", runner="acp", command=("sh", "-c"), program="no-such-agent")
    assert problem_of(wrapped) == "there is no program 'no-such-agent' on the daemon's PATH"
    for word in ("{scratch}/agent", "./agent"):
        assert program_of(AgentProfile(name="r", runner="acp", command=(word,))) == word
    script = AgentProfile(name="p", runner="scripted", command=("/a/script.json",))
    assert (program_of(script), problem_of(script)) == ("", "")


def test_a_program_is_looked_for_where_a_child_would() -> None:
    """The PATH that configuration sets for an agent is the one that counts."""
    empty = AgentProfile(name="e", runner="acp", command=("sh",), env=(("PATH", "/nowhere"),))
    assert program_of(empty) == ""


def test_what_children_of_a_killed_daemon_left_is_removed(settings: Settings) -> None:
    """Their scratch folders may hold keys and are nobody's any more; all else stays."""
    clear_scratch(settings)
    (settings.state_dir / "scratch" / "node").mkdir(parents=True)
    (settings.state_dir / "scratch" / "node" / "key").touch()
    clear_scratch(settings)
    assert list(settings.state_dir.iterdir()) == []


def test_the_first_fault_of_several_is_the_cause() -> None:
    """Of nested faults one is told; where a bug is among them, all of them."""
    inner = BaseExceptionGroup("in", [SocketFault("s"), ProcessFault("p")])
    assert str(cause_of(BaseExceptionGroup("out", [inner]))) == "s"
    mixed = BaseExceptionGroup("out", [SocketFault("s"), KeyError("k")])
    assert cause_of(mixed) is mixed
