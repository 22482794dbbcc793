import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from subsessiond.adapters.processes import LinuxProcesses
from subsessiond.adapters.runners.agentprocess import AT_ONCE, AgentProcess, Host
from subsessiond.adapters.runners.diagnosing import DIAGNOSTIC_BYTES
from subsessiond.model.commands import FailStart, NoteProcess
from subsessiond.model.process import Exit, InputClosed, LaunchFault, Stopped
from subsessiond.model.role import AgentProfile
from tests.support.stage import Stage
from tests.support.transcripts import ListedTranscripts

Make = Callable[..., Awaitable[AgentProcess]]


@pytest.fixture
def transcripts() -> ListedTranscripts:
    """Transcripts in memory."""
    return ListedTranscripts()


@pytest.fixture
def make(
    here: Stage, processes: LinuxProcesses, transcripts: ListedTranscripts, tmp_path_factory: object
) -> Make:
    """Make agents out of shell scripts."""
    scratch = here.folder / "scratch"

    async def make_one(script: str, *more: str, **fields: Any) -> AgentProcess:
        command = ("sh", "-c", script, "sh", *more)
        profile = AgentProfile(name="actor", runner="acp", command=command, **fields)
        env = (*here.environment().items(), *profile.env)
        order = await here.order(profile, env, role="worker")
        host = Host(processes, transcripts, ("py", "-m", "shim"), "/run/s.sock", scratch)
        return AgentProcess(host, order, here.voice)

    return make_one


class Heard(list[bytes]):
    """Lines that were heard."""

    async def hear(self, line: bytes) -> None:
        """Keep a line."""
        self.append(line)


async def test_it_hears_every_line_and_the_end(make: Make, transcripts: ListedTranscripts) -> None:
    """Lines, a last one without its end, the exit, and all bytes in the transcript."""
    agent, heard = await make("read x; printf 'got %s\\nlast' $x; echo oops >&2; exit 3"), Heard()
    assert await agent.start()
    await agent.write(b"word\n")
    assert await agent.listen(heard.hear) == Exit(code=3)
    assert heard == [b"got word", b"last"]
    assert agent.produced_bytes == len("got word\nlastoops\n")
    assert agent.diagnostic("It failed.", "banner") == (
        "It failed.\nno protocol: banner\nstderr: oops"
    )
    (written,) = transcripts.of.values()
    assert written.joined("in") == b"word\n"
    assert written.joined("out") == b"got word\nlast"
    assert written.joined("err") == b"oops\n"
    assert await agent.stop() == Stopped()
    assert written.closed


async def test_its_identity_is_durable_before_a_word_is_spoken(here: Stage, make: Make) -> None:
    """Who it is stands in the registry when `start` returns."""
    agent = await make("cat")
    assert await agent.start()
    (noted,) = here.told(NoteProcess)
    assert here.node(noted.node).identity == noted.identity
    await agent.stop()


async def test_words_in_braces_are_its_own(here: Stage, make: Make) -> None:
    """Command, variables and files of a profile get what this one child has."""
    agent = await make(
        'echo "$PLACE"; cat "$PLACE/etc/agent.json"; echo "$SHIM"; echo "$1"; pwd',
        env=(("PLACE", "{scratch}"), ("SHIM", "{shim_program}")),
        files=(("etc/agent.json", '{"mcp": {shim_command}, "in": "{workspace}"}\n'),),
    )
    heard = Heard()
    assert await agent.start(stdin=b"", brief="unused")
    await agent.listen(heard.hear)
    place, file, shim, _, folder = (*heard[:3], b"", heard[-1])
    assert place.decode() == agent.words["scratch"]
    assert json.loads(file) == {"mcp": ["py", "-m", "shim"], "in": str(here.folder)}
    assert shim == b"py"
    assert folder.decode() == str(here.folder)
    await agent.stop()
    assert not Path(place.decode()).exists()


async def test_a_brief_may_be_an_argument(make: Make) -> None:
    """`{brief}` in a command line stands for the text given with the start, whatever it holds."""
    agent, heard = await make('printf %s "$1"', "{brief}"), Heard()
    assert await agent.start(stdin=b"", brief="say {node} $HOME")
    await agent.listen(heard.hear)
    assert heard == [b"say {node} $HOME"]
    await agent.stop()


@pytest.mark.parametrize("script", ["echo done; sleep 600 & exit 0", "printf done; sleep 600 &"])
async def test_an_exit_counts_though_something_holds_the_output(make: Make, script: str) -> None:
    """What is in the pipe is read, then the exit counts."""
    agent, heard = await make(script), Heard()
    assert await agent.start()
    assert await agent.listen(heard.hear) == Exit(code=0)
    assert heard == [b"done"]
    assert (await agent.stop()).leftovers == ()


async def test_an_output_that_ends_is_an_end(make: Make) -> None:
    """An agent that lives on without its output is heard no more, and that is said."""
    agent, heard = await make("echo done; exec >&- 2>&-; exec sleep 600"), Heard()
    assert await agent.start()
    assert await agent.listen(heard.hear) is None
    assert heard == [b"done"]
    await agent.stop()


async def test_a_fault_of_the_listener_ends_the_listening(make: Make) -> None:
    """The reading never ends silently."""
    agent = await make("echo one; exec cat")
    assert await agent.start()

    async def hear(line: bytes) -> None:
        raise LookupError(line)

    with pytest.raises(LookupError, match="one"):
        await agent.listen(hear)
    await agent.stop()


async def test_a_start_that_fails_is_told(here: Stage, make: Make) -> None:
    """A program that is not there, and files that cannot be written, settle the node."""
    agent = await make("", files=(("../x", ""),))
    assert not await agent.start()
    (failed,) = here.told(FailStart)
    assert "scratch" in failed.why
    await here.settled_queue()
    assert here.node(failed.node).settlement is not None
    assert await agent.stop() == Stopped()


async def test_stopped_before_it_starts_nothing(here: Stage, make: Make) -> None:
    """A stop that comes first wins, and a second one is no different."""
    agent = await make("echo no")
    assert await agent.stop() == Stopped()
    assert await agent.stop(hurry=True) == Stopped()
    assert not await agent.start()
    assert here.told(NoteProcess) == []


async def test_it_is_asked_before_its_input_ends(make: Make) -> None:
    """The goodbye comes while its input is open, and then an agent may leave by itself."""
    agent, heard = await make("read a; echo $a; read b; echo end"), Heard()
    assert await agent.start()
    listening = asyncio.ensure_future(agent.listen(heard.hear))

    async def goodbye() -> None:
        await agent.write(b"cancel\n")

    assert await agent.stop(goodbye) == Stopped(forced=False)
    assert await listening == Exit(code=0)
    assert heard == [b"cancel", b"end"]
    with pytest.raises(InputClosed):
        await agent.write(b"more")


async def test_a_goodbye_that_is_not_heard_is_hurried(
    make: Make, transcripts: ListedTranscripts
) -> None:
    """A second stop in a hurry ends the waiting of the first; one that fails stops nothing."""
    agent = await make("trap '' TERM; while :; do sleep 600; done")
    assert await agent.start()
    said = asyncio.Event()

    async def goodbye() -> None:
        said.set()
        await asyncio.Event().wait()

    first = asyncio.ensure_future(agent.stop(goodbye))
    await said.wait()
    assert (await agent.stop(hurry=True)).forced
    assert (await first).forced
    other = await make("exec cat")
    assert await other.start()

    async def broken() -> None:
        raise LookupError("no such session")

    assert await other.stop(broken) == Stopped()
    notes = [written.joined("note") for written in transcripts.of.values()]
    assert b"no such session" in b"".join(notes)


async def test_a_diagnostic_is_bounded(make: Make) -> None:
    """However much was said, a diagnostic keeps its limit and the end of the errors."""
    agent, heard = await make("head -c 100000 /dev/zero | tr '\\0' 'é' >&2; echo end >&2"), Heard()
    assert await agent.start()
    agent.lines.dropped = 2
    await agent.listen(heard.hear)
    text = agent.diagnostic("w" * 5_000, "n" * 5_000)
    assert len(text.encode()) <= DIAGNOSTIC_BYTES
    assert text.startswith("www")
    assert "too long and not read: 2" in text
    assert text.endswith("end")
    await agent.stop()


async def test_an_agent_that_prints_without_end_leaves_others_their_turn(make: Make) -> None:
    """Thousands of short lines are in one chunk, and the next one is there before it is heard."""
    agent, turns, heard_at = await make("yes | head -n 300000"), 0, list[int]()

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def hear(_: bytes) -> None:
        heard_at.append(turns)

    assert await agent.start()
    task = asyncio.ensure_future(others())
    await agent.listen(hear)
    task.cancel()
    gone_by = [heard_at[n + AT_ONCE] - heard_at[n] for n in range(0, 300_000 - AT_ONCE, AT_ONCE)]
    assert min(gone_by) >= 1
    await agent.stop(hurry=True)


async def test_one_run_follows_another(make: Make, transcripts: ListedTranscripts) -> None:
    """Nothing runs between two, each has its own line, and all they printed is counted."""
    agent = await make(
        "cat; echo once >&2; sleep 600 & exit 0",
        resume=("sh", "-c", "cat; echo $0", "<{session}>"),
    )
    heard = Heard()
    assert await agent.start(stdin=b"one\n")
    assert await agent.listen(heard.hear) == Exit(code=0)
    assert await agent.rest() == ()
    assert await agent.rest() == ()
    assert agent.produced_bytes == len("one\nonce\n")
    assert await agent.start_again(b"two\n", None, "s1")
    assert await agent.listen(heard.hear) == Exit(code=0)
    assert heard == [b"one", b"two", b"<s1>"]
    assert agent.produced_bytes == len("one\nonce\ntwo\n<s1>\n")
    await agent.stop()
    (written,) = transcripts.of.values()
    assert written.joined("out") == b"one\ntwo\n<s1>\n"


async def test_no_run_follows_a_stop(make: Make) -> None:
    """Who was stopped between two runs is not started again, and nothing is left of it."""
    agent = await make("exit 0", resume=("true",))
    assert await agent.start(stdin=b"")
    await agent.rest()
    assert await agent.stop() == Stopped()
    assert not await agent.start_again(b"", None, "s1")


async def test_a_run_that_cannot_start_is_a_fault(make: Make, here: Stage) -> None:
    """It is the runner's to tell: its node runs already, so it is no failed start."""
    agent = await make("exit 0", resume=("/no/such/program",))
    assert await agent.start(stdin=b"")
    await agent.rest()
    with pytest.raises(LaunchFault, match="no/such/program"):
        await agent.start_again(b"", None, "s1")
    assert here.told(FailStart) == []
    await agent.stop()
