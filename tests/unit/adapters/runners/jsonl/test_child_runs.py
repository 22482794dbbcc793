"""Children whose agent takes its conversation up again: one run after another."""

import asyncio
import sys
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from subsessiond.adapters.processes import LinuxProcesses
from subsessiond.adapters.runners.agentprocess import Host
from subsessiond.adapters.runners.jsonl.child import LinesChild
from subsessiond.adapters.runners.jsonl.runner import LinesRunner
from subsessiond.model.commands import EndChild, EndTurn, MarkDelivered, NoteProcess, NoteUsage
from subsessiond.model.node import Phase, Settlement
from subsessiond.model.process import Launch, Stopped
from subsessiond.model.report import Outcome
from subsessiond.model.role import Channel
from subsessiond.model.usage import Usage
from subsessiond.rpc.schema import schema_fault
from tests.support.headless import CLI, EVENT_MAP, prompt
from tests.support.lineschild import Make, maker, only_node
from tests.support.mailing import put_mail
from tests.support.stage import Stage
from tests.support.transcripts import ListedTranscripts

NAMED: Final = {"line": {"type": "say", "text": "a", "thread": "t-1"}}
CLOSES: Final = {"close": "bye"}
AGAIN: Final[dict[str, Any]] = {
    "command": (sys.executable, str(CLI), "{resume}"),
    "resume": ("--again", "{session}"),
    "channel": Channel.MCP,
    "events": replace(EVENT_MAP, session="thread"),
}
ASKED: Final = "Your turn ended without a final report."


async def until(here: Stage, count: int) -> None:
    """Wait until so many turns were told to be over."""
    async with asyncio.timeout(20):
        while len(here.told(EndTurn)) < count:
            await asyncio.sleep(0)
            await here.settled_queue()


async def begin(here: Stage, child: LinesChild) -> "asyncio.Task[None]":
    """Let a child live through its first run."""
    running = asyncio.ensure_future(child.run())
    await until(here, 1)
    await here.settled_queue()
    return running


async def ended(here: Stage, child: LinesChild, running: "asyncio.Task[None]") -> Settlement:
    """Let a child end, and give what was settled."""
    async with asyncio.timeout(20):
        await running
        await child.stop()
    await here.settled_queue()
    settlement = only_node(here).settlement
    assert settlement is not None
    return settlement


async def test_it_is_asked_once_for_its_final(here: Stage, make: Make) -> None:
    """A run that ended well without one is followed by one more; then it has ended without."""
    child = await make(NAMED, CLOSES, **AGAIN)
    running = await begin(here, child)
    (ask,) = here.pass_on(child, only_node(here).node_id)
    assert ask.text.startswith(ASKED)
    last = prompt(CLOSES)
    assert await child.prompt(None, f"{ask.text} {last}")
    await until(here, 2)
    await child.stop()
    settlement = await ended(here, child, running)
    assert (settlement.outcome, settlement.reason) == (Outcome.FAILED, "ended-without-final")
    assert here.told(EndChild) == []
    assert len({told.identity.pid for told in here.told(NoteProcess)}) == 2


async def test_nothing_runs_while_it_waits_for_mail(here: Stage, make: Make) -> None:
    """With mail to come it waits without a process; the mail begins the next run. As that one does
    not end well, nobody knows whether it has read it.
    """
    child = await make(NAMED, {"hold": 600}, CLOSES, **AGAIN)
    node_id = only_node(here).node_id
    put_mail(here, node_id, "1")
    running = await begin(here, child)
    assert only_node(here).phase is Phase.WAITING
    (first,) = here.told(NoteProcess)
    assert not Path(f"/proc/{first.identity.pid}").exists()
    child.wake()
    await running
    assert len(here.told(NoteProcess)) == 2
    handed = [told for told in here.told(MarkDelivered) if told.message_ids]
    assert [told.read for told in handed] == [False]
    await child.stop()


async def test_a_run_is_told_whose_conversation_it_is(
    here: Stage, make: Make, transcripts: ListedTranscripts
) -> None:
    """The name stands in its command line; what is said to it is the whole input."""
    child = await make(NAMED, CLOSES, **AGAIN)
    running = await begin(here, child)
    assert await child.prompt(None, prompt({"argv": 0}, CLOSES))
    await until(here, 2)
    await child.stop()
    await running
    (written,) = transcripts.of.values()
    assert written.joined("out").decode().count("['--again', 't-1']") == 1


async def test_figures_go_on_over_runs(here: Stage, make: Make) -> None:
    """A running total of a conversation is one, whichever run tells it."""
    used = [
        {"line": {"type": "say", "text": "a", "thread": "t-1", "total": {"in": n}}} for n in (5, 9)
    ]
    child = await make(used[0], CLOSES, **AGAIN)
    running = await begin(here, child)
    assert await child.prompt(None, prompt(used[1], CLOSES))
    await until(here, 2)
    await child.stop()
    await running
    assert [told.usage for told in here.told(NoteUsage)][-1] == Usage(input=9)


async def test_an_error_in_a_later_run_ends_it(here: Stage, make: Make) -> None:
    """As in the first one: what broke is not tried again."""
    child = await make(NAMED, CLOSES, **AGAIN)
    running = await begin(here, child)
    broken = {"close": {"is_error": True, "error": "529"}}
    assert await child.prompt(None, prompt(broken))
    settlement = await ended(here, child, running)
    assert (settlement.outcome, settlement.reason) == (Outcome.FAILED, "agent-error")
    assert settlement.diagnostic == "529"


async def test_a_conversation_without_a_name_is_one_run(here: Stage, make: Make) -> None:
    """Nobody knows how to take it up; nor is a word taken that would be an option."""
    for name in ({}, {"thread": "--last"}):
        line = {"line": {"type": "say", "text": "a", **name}}
        child = await make(line, CLOSES, **AGAIN)
        await child.run()
        await child.stop()
        await here.settled_queue()
    assert here.told(EndTurn) == []
    assert [told.reason for told in here.told(EndChild)] == ["ended-without-final"] * 2


async def test_a_stop_between_two_runs_is_an_end(here: Stage, make: Make) -> None:
    """It waits for nothing, and what is said to it afterwards is not taken."""
    child = await make(NAMED, CLOSES, **AGAIN)
    running = await begin(here, child)
    async with asyncio.timeout(5):
        await child.stop()
        await running
    assert not await child.prompt(None, "late")


async def test_a_run_that_cannot_start_ends_it(here: Stage, make: Make) -> None:
    """A program that is gone by then is told, and what was to be said is unread."""
    gone = here.folder / "agent"
    gone.symlink_to(sys.executable)
    fields = {**AGAIN, "command": (str(gone), str(CLI), "{resume}")}
    child = await make(NAMED, CLOSES, **fields)
    running = await begin(here, child)
    gone.unlink()
    assert not await child.prompt(None, "go on")
    settlement = await ended(here, child, running)
    assert settlement.reason == "run-not-started"
    assert "agent" in (settlement.diagnostic or "")


class Clinging:
    """A process of which something stays when it is stopped, until the test lets go."""

    def __init__(self, real: Any) -> None:
        self._real = real
        self.clings = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    async def stop(self, *, term_grace_ms: int | None = None) -> Stopped:
        """Stop, and say that something is left."""
        stopped: Stopped = await self._real.stop(term_grace_ms=term_grace_ms)
        return Stopped(leftovers=("process 9",)) if self.clings else stopped


class Clings:
    """Containers in which something stays."""

    def __init__(self, real: Any) -> None:
        self._real = real
        self.made: list[Clinging] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    async def spawn(self, launch: Launch) -> Clinging:
        """Start one."""
        self.made.append(Clinging(await self._real.spawn(launch)))
        return self.made[-1]


async def test_no_run_follows_one_that_left_something(
    here: Stage, processes: LinuxProcesses, transcripts: ListedTranscripts
) -> None:
    """Two of one child could write the same files: it ends, and what is left is its leftovers."""
    clings = Clings(processes)
    host = Host(clings, transcripts, ("shim",), "/run/s.sock", here.folder / "scratch")
    child = await maker(here, LinesRunner(host, schema_fault))(NAMED, CLOSES, **AGAIN)
    async with asyncio.timeout(20):
        await child.run()
    (told,) = here.told(EndChild)
    assert told.reason == "leftovers"
    assert "process 9" in told.diagnostic
    assert here.told(EndTurn) == []
    assert await child.stop() == Stopped(leftovers=("process 9",))
    (process,) = clings.made
    process.clings = False
    assert await child.stop() == Stopped()
