"""The shipped headless agents, for real: a daemon, the agent's own program, a model on loopback."""

import asyncio
import json
import shutil
import stat
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_for
from tests.support.modelstub import Stub, Usage, script
from tests.support.rigs import BIN, RIGS
from tests.support.shipped import agents_toml, make_home

AGENTS: Final = ("claude", "codex", "gemini", "opencode")
WITHIN_S: Final = 90.0
FINAL: Final = {"output": "All done.", "stage": "final", "outcome": "completed"}
PLACE: Final = {"phase": "half way", "state": "one of two", "nextStep": "write the file"}
WRITERS: Final = ("write", "edit", "replace", "bash", "shell", "task", "agent")
HARMLESS: Final = ("exec_command", "write_stdin", "todowrite")
"""The shell of codex, which its sandbox holds; a list of things to do, which is no file."""

pytestmark = [
    pytest.mark.skipif(not BIN.exists(), reason="scripts/agents has not run in this clone"),
    pytest.mark.timeout(240),
]


one_prompt = pytest.mark.parametrize(
    "name", [name for name in AGENTS if name != "claude"], indirect=True
)
"""Claude Code stays for many turns: what is said in one goes into it, and none of them closes."""


@pytest.fixture(params=AGENTS)
def name(request: pytest.FixtureRequest) -> str:
    """Give each agent that is installed."""
    if not RIGS[request.param].installed:
        pytest.skip(f"{request.param} is not installed: scripts/agents")
    return str(request.param)


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let daemons have folders that nobody else may write above: gemini looks."""
    place = BIN.parent / "tmp"
    place.mkdir(mode=0o700, exist_ok=True)
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


def is_private(folder: Path) -> bool:
    """Tell whether nobody else may write to a folder or above it."""
    return not any(
        p.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH) for p in (folder, *folder.parents)
    )


class Desk:
    """A daemon whose agent asks the stub."""

    def __init__(self, daemon: Daemon, stub: Stub) -> None:
        self.daemon = daemon
        self.stub = stub
        self.root = daemon.open()

    def spawn(self, role: str, *steps: dict[str, Any], **brief: Any) -> str:
        """Start an agent that plays these steps."""
        order = {"mission": f"Do this. {script(*steps)}", **brief}
        spawn = {"parentId": self.root, "role": role, "brief": order}
        return str(self.daemon.call("subsession.spawn", **spawn)["nodeId"])

    def released(self, node: str) -> dict[str, Any]:
        """Wait until a node is over and gone."""
        return wait_for(self.daemon, node, "released", within_s=WITHIN_S)

    def told(self) -> Usage:
        """Give what was told for the steps; what agents ask beside them they do not count."""
        total = Usage()
        for request in self.stub.requests:
            if request.scripted:
                total = total.plus(request.usage or Usage())
        return total


@asynccontextmanager
async def desk(name: str, folder: Path, **fields: str) -> AsyncIterator[Desk]:
    """Run stub and daemon for the length of a block; further fields are the agent's profile's."""
    if name == "gemini" and not is_private(folder):
        pytest.skip("a folder above may be written to by others, and gemini reads no settings then")
    async with Stub() as stub:
        home = Path(tempfile.mkdtemp(prefix="home-"))
        environ = make_home(name, stub.url, home)
        made = Daemon(
            config={"agents.toml": agents_toml(name, stub.url, **fields)}, environ=environ
        )
        try:
            await asyncio.to_thread(made.start)
            yield await asyncio.to_thread(Desk, made, stub)
            await asyncio.to_thread(check_closing, made)
        finally:
            await asyncio.to_thread(made.stop)
            made.discard()
            await asyncio.to_thread(remove, home)


def remove(folder: Path) -> None:
    """Remove a home, whatever an agent made of its rights."""
    subprocess.run(["chmod", "-R", "u+rwX", str(folder)], check=True)
    shutil.rmtree(folder)


def writing(name: str, path: Path) -> dict[str, Any]:
    """Give the step by which an agent writes a file."""
    return RIGS[name].write.step(path=str(path), text="hello")


async def test_it_reports_saves_writes_and_is_measured(name: str, folder: Path) -> None:
    """Progress, checkpoint, a file it owns and the final arrive; its figures are the stub's."""
    async with desk(name, folder) as here:
        path = here.daemon.workspace / "src" / "out.txt"
        path.parent.mkdir()
        steps = (
            {"call": "report", "args": {"output": "begun", "stage": "progress"}},
            {"call": "subsession_checkpoint", "args": PLACE},
            writing(name, path),
            {"call": "report", "args": FINAL},
            {"text": "bye"},
        )
        node = await asyncio.to_thread(here.spawn, "worker", *steps, ownedGlobs=["src/**"])
        row = await asyncio.to_thread(here.released, node)
        assert here.stub.faults == []
        assert (row["outcome"], row["reason"], row["author"]) == (
            *("completed", "final-report", "child"),
        )
        assert row["reports"] == 2
        assert row["checkpoint"].startswith("workspaceFile:.subsession/journals/")
        assert path.read_text().strip() == "hello"
        (message,) = here.daemon.call("subsession.inbox", nodeId=here.root)["messages"]
        assert message["text"].splitlines()[1] == "All done."
        told, measured = here.told(), row["measuredTokens"]
        assert told.output
        assert (measured["input"], measured["output"]) == (told.input, told.output)
        assert measured["cacheRead"] == told.cache_read


async def test_a_reader_is_offered_nothing_to_write_with(name: str, folder: Path) -> None:
    """A role of reading classes keeps the way to report, and gets no tool that changes files."""
    async with desk(name, folder) as here:
        path = here.daemon.workspace / "out.txt"
        # Why codex tries: it has its shell whatever it may do, and only its sandbox holds that.
        tries = [writing(name, path)] if name == "codex" else []
        steps = (*tries, {"call": "report", "args": FINAL}, {"text": "bye"})
        node = await asyncio.to_thread(here.spawn, "reader", *steps)
        row = await asyncio.to_thread(here.released, node)
        assert here.stub.faults == []
        assert row["outcome"] == "completed"
        assert not path.exists()
        offered = next(request.offered for request in here.stub.requests if request.scripted)
        assert len([tool for tool in offered if "subsession_checkpoint" in tool]) == 1
        tools = [tool.casefold() for tool in offered if tool not in HARMLESS]
        assert not [tool for tool in tools if any(word in tool for word in WRITERS)]


@one_prompt
async def test_what_is_said_to_it_rides_on_the_next_answer(name: str, folder: Path) -> None:
    """A steer in the middle of its turn is read once, with the answer of its next call of ours."""
    async with desk(name, folder) as here:
        steps = (
            {"call": "report", "args": {"output": "begun", "stage": "progress"}, "wait": "gate"},
            {"call": "report", "args": FINAL},
            {"text": "bye"},
        )
        node = await asyncio.to_thread(here.spawn, "worker", *steps)
        await here.stub.wait_until(lambda stub: "gate" in stub.held, WITHIN_S)
        await asyncio.to_thread(wait_for, here.daemon, node, "running")
        await asyncio.to_thread(
            here.daemon.call, "subsession.steer", nodeId=node, text="look at the south wing"
        )
        here.stub.release("gate")
        row = await asyncio.to_thread(here.released, node)
        assert row["outcome"] == "completed"
        last = here.stub.requests[-1]
        assert json.dumps(last.results).count("look at the south wing") == 1
        mail = here.daemon.call("subsession.inbox", nodeId=here.root)["messages"]
        assert not [message for message in mail if "before it read" in message["text"]]


async def test_a_provider_error_is_a_failure_that_says_so(name: str, folder: Path) -> None:
    """The operator reads the provider's words, the parent does not."""
    if name == "opencode":
        pytest.skip("it tries again for ever and says nothing of it; the sweep ends it")
    async with desk(name, folder) as here:
        node = await asyncio.to_thread(here.spawn, "worker", {"error": 529, "times": 99})
        row = await asyncio.to_thread(here.released, node)
        assert (row["outcome"], row["reason"]) == ("failed", "agent-error")
        envelope = here.daemon.call("subsession.node", nodeId=node)["envelope"]
        assert "529" in envelope["diagnostic"]
        (message,) = here.daemon.call("subsession.inbox", nodeId=here.root)["messages"]
        assert "529" not in message["text"]


async def test_its_words_are_no_report(name: str, folder: Path) -> None:
    """Who ends with words and never called our tool has ended without a final."""
    async with desk(name, folder) as here:
        node = await asyncio.to_thread(here.spawn, "worker", {"text": "I am done, all is well!"})
        row = await asyncio.to_thread(here.released, node)
        assert (row["outcome"], row["reason"]) == ("failed", "ended-without-final")
        (message,) = here.daemon.call("subsession.inbox", nodeId=here.root)["messages"]
        assert "all is well" not in message["text"]


@one_prompt
async def test_its_closing_text_is_its_final_where_its_profile_says_so(
    name: str, folder: Path
) -> None:
    """Without any tool of ours: what it says last is taken whole, and only the last."""
    async with desk(name, folder, channel="closing-result", probe="in-turn") as here:
        path = here.daemon.workspace / "out.txt"
        answer = "The answer is é, in two lines:\n42"
        steps = ({**writing(name, path), "text": "First I write."}, {"text": answer})
        node = await asyncio.to_thread(here.spawn, "worker", *steps, ownedGlobs=["*"])
        row = await asyncio.to_thread(here.released, node)
        assert (row["outcome"], row["reason"]) == ("completed", "final-report")
        (message,) = here.daemon.call("subsession.inbox", nodeId=here.root)["messages"]
        assert f"reported:\n{answer}\n" in message["text"]
        assert "First I write" not in message["text"]


@pytest.mark.parametrize(
    ("agent", "finish", "reason"),
    [
        ("claude", "limit", "max-tokens"),
        ("claude", "refusal", "refusal"),
        ("codex", "limit", "max-tokens"),
    ],
)
async def test_a_limit_and_a_refusal_are_told_from_an_error(
    agent: str, finish: str, reason: str, folder: Path
) -> None:
    """Where the agent says why its model stopped, that is the reason."""
    if not RIGS[agent].installed:
        pytest.skip(f"{agent} is not installed: scripts/agents")
    async with desk(agent, folder) as here:
        step = {"text": "half an answer", "finish": finish}
        node = await asyncio.to_thread(here.spawn, "worker", step)
        row = await asyncio.to_thread(here.released, node)
        assert (row["outcome"], row["reason"]) == ("failed", reason)
        assert here.daemon.call("subsession.node", nodeId=node)["envelope"]["stopReason"] == reason
