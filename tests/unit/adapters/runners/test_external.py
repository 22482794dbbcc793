import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from subsessiond.adapters.processes import LinuxProcesses
from subsessiond.adapters.runners.external import ExternalChild, ExternalRunner, watch_left
from subsessiond.model.commands import (
    Caller,
    ConfirmGone,
    ConfirmStart,
    EndChild,
    FailStart,
    NoteProcess,
    SubmitReport,
)
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Status, StopReason
from subsessiond.model.process import Stopped
from subsessiond.model.report import Outcome, Report
from subsessiond.model.report import Stage as Word
from subsessiond.model.role import AgentProfile
from tests.support.joining import Joiner, joiner
from tests.support.stage import Stage
from tests.support.transcripts import ListedTranscripts

pytestmark = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="pidfds are Linux's")

GRACE_MS = 20_000


class Room:
    """One child that waits, and who may join as it."""

    def __init__(self, here: Stage, processes: LinuxProcesses, by: Joiner) -> None:
        self.here, self.processes, self.by = here, processes, by
        self.transcripts = ListedTranscripts()
        self.node = NodeId("")

    async def child(self, *, may_stop: bool = False) -> ExternalChild:
        """Make the child."""
        runner = ExternalRunner(self.processes.guests, self.transcripts, GRACE_MS)
        profile = AgentProfile(name="guest", runner="external", may_stop=may_stop)
        order = await self.here.order(profile, role="joined", mission="Look around.")
        self.node = order.node.node_id
        return runner.start(order, self.here.voice)

    async def confirm(self, stopped: Stopped) -> None:
        """Say what a stop came to, as the executor does."""
        now = self.here.voice.now()
        gone = ConfirmGone(node=self.node, leftovers=stopped.leftovers, **now)
        await self.here.registry.ask(gone)

    async def until(self, status: Status) -> None:
        """Wait until the child is so far."""
        async with asyncio.timeout(20):
            await self.here.voice.until(lambda tree: tree.nodes[self.node].status is status)


@asynccontextmanager
async def a_room(here: Stage, processes: LinuxProcesses) -> AsyncIterator[Room]:
    """Let one child wait."""
    with joiner(here) as by:
        yield Room(here, processes, by)


async def test_it_runs_when_somebody_has_joined(here: Stage, processes: LinuxProcesses) -> None:
    """Until then nothing is told; what the process was told is kept for the operator."""
    async with a_room(here, processes) as room:
        child = await room.child()
        running = asyncio.create_task(child.run())
        await here.settled_queue()
        assert here.voice.told == []
        process = await room.by.join(room.node, "read word")
        await room.until(Status.RUNNING)
        assert here.node(room.node).identity == room.by.identity(room.node, process)
        process.communicate()
        await running
        assert len(here.told(ConfirmStart)) == 1
        assert await child.stop() == Stopped()
    kept = room.transcripts.of[room.node]
    assert [kind for kind, _ in kept.written] == ["note", "in"]
    assert b"Look around." in kept.joined("in")
    assert kept.closed


@pytest.mark.parametrize(
    ("script", "reasons"),
    [
        ("read word; exit 3", ("exit-status", "status-lost")),
        ("read word; kill -9 $$", ("killed-by-signal", "status-lost")),
        ("read word; exit 0", ("ended-without-final", "status-lost")),
    ],
)
async def test_an_end_is_told_as_far_as_it_is_known(
    here: Stage, processes: LinuxProcesses, script: str, reasons: tuple[str, ...]
) -> None:
    """Older kernels tell a status to the parent alone: then it is lost, and nothing is guessed."""
    async with a_room(here, processes) as room:
        child = await room.child()
        running = asyncio.create_task(child.run())
        process = await room.by.join(room.node, script)
        await room.until(Status.RUNNING)
        process.communicate()
        await running
        (ended,) = here.told(EndChild)
        assert ended.reason in reasons
        assert ended.outcome is Outcome.FAILED
        assert ended.promotes is (ended.reason == "ended-without-final")
        assert str(process.pid) in ended.diagnostic
        await child.stop()


async def test_an_end_before_its_start_is_a_failed_start(
    here: Stage, processes: LinuxProcesses
) -> None:
    """A process that has gone when its node could run never was its agent."""
    async with a_room(here, processes) as room:
        child = await room.child()
        process = room.by.start("exit 0")
        identity = room.by.identity(room.node, process)
        process.communicate()
        noted = NoteProcess(node=room.node, identity=identity, **here.voice.now())
        await here.registry.ask(noted)
        await child.run()
        assert here.told(ConfirmStart) == []
        assert len(here.told(FailStart)) == 1
        assert await child.stop() == Stopped()


async def test_nobody_is_signalled_who_is_not_ours(here: Stage, processes: LinuxProcesses) -> None:
    """Its process is left as it is and told; when it leaves by itself, its files are free."""
    async with a_room(here, processes) as room:
        child = await room.child()
        running = asyncio.create_task(child.run())
        process = await room.by.join(room.node, "trap 'exit 7' TERM; read word")
        await room.until(Status.RUNNING)
        now = here.voice.now()
        final = Report(stage=Word.FINAL, outcome=Outcome.COMPLETED, output="done")
        await here.registry.submit(
            SubmitReport(
                node=room.node,
                report=final,
                fingerprint="f",
                size_bytes=4,
                caller=Caller(node_id=room.node),
                **now,
            )
        )
        stopped = await child.stop()
        await running
        assert process.poll() is None
        assert [f"process {process.pid} (sh)" in words for words in stopped.leftovers] == [True]
        await room.confirm(stopped)
        assert here.node(room.node).leftovers == stopped.leftovers
        process.communicate()
        assert process.returncode != 7
        await room.until(Status.RELEASED)
        assert not here.node(room.node).forced


async def test_who_may_be_asked_is_asked_and_never_killed(
    here: Stage, processes: LinuxProcesses
) -> None:
    """TERM is sent where the profile allows it, and nothing after it."""
    async with a_room(here, processes) as room:
        child = await room.child(may_stop=True)
        running = asyncio.create_task(child.run())
        process = await room.by.join(room.node, "trap 'exit 7' TERM; touch up; while :; do :; done")
        while not (here.folder / "up").exists():  # noqa: ASYNC110 -- a file tells nobody
            await asyncio.sleep(0.005)
        await room.until(Status.RUNNING)
        assert await child.stop() == Stopped()
        await running
        assert process.wait(10) == 7


async def below_of(here: Stage) -> int:
    """Give the process that a shell has started, once it is no copy of the shell any more."""
    path = here.folder / "below"
    async with asyncio.timeout(10):
        while not path.exists() or not path.read_text().endswith("\n"):  # noqa: ASYNC110 -- a file tells nobody
            await asyncio.sleep(0.005)
        below = int(path.read_text())
        while Path(f"/proc/{below}/comm").read_text() != "sleep\n":  # noqa: ASYNC110 -- nor does exec
            await asyncio.sleep(0.005)
    return below


async def test_what_it_started_counts_as_left(here: Stage, processes: LinuxProcesses) -> None:
    """A process with its mark outlives it: the claim waits for that one too."""
    async with a_room(here, processes) as room:
        child = await room.child()
        running = asyncio.create_task(child.run())
        process = await room.by.join(room.node, "sleep 600 & echo $! >below; read word")
        await room.until(Status.RUNNING)
        below = await below_of(here)
        process.communicate()
        await running
        stopped = await child.stop()
        assert [f"process {below} (sleep)" in words for words in stopped.leftovers] == [True]
        await room.confirm(stopped)
        os.kill(below, signal.SIGTERM)
        await room.until(Status.RELEASED)


async def test_a_later_life_of_the_daemon_goes_on_watching(
    here: Stage, processes: LinuxProcesses
) -> None:
    """What was left is still left after a restart, and free when it has gone."""
    async with a_room(here, processes) as room:
        child = await room.child()
        running = asyncio.create_task(child.run())
        process = await room.by.join(room.node, "read word")
        await room.until(Status.RUNNING)
        running.cancel()
        await asyncio.wait((running,))
        processes.guests.close()
        identity = room.by.identity(room.node, process)
        stopped = await processes.end(identity)
        assert process.poll() is None
        now = here.voice.now()
        ended = EndChild(
            node=room.node,
            outcome=Outcome.FAILED,
            stop_reason=StopReason.ERROR,
            reason="daemon-restart",
            **now,
        )
        await here.registry.ask(ended)
        await room.confirm(stopped)
        watch_left(processes.guests, here.registry.tree, here.voice)
        process.communicate()
        await room.until(Status.RELEASED)
        assert await processes.end(identity) == Stopped()


async def test_what_is_said_to_it_waits_for_its_own_calls(
    here: Stage, processes: LinuxProcesses
) -> None:
    """A message stays in its mailbox as long as it may read it there."""
    async with a_room(here, processes) as room:
        child = await room.child()
        saying = asyncio.create_task(child.prompt("m.1", "hello"))
        await here.settled_queue()
        assert not saying.done()
        assert await child.prompt(None, "your final?") is False
        await child.stop()
        assert await saying is False
