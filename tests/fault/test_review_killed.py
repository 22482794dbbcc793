"""`scripts/run` whose daemon is killed in the middle: nothing told is lost, nothing lives on."""

import asyncio
import os
import random
import re
import shutil
import signal
import sqlite3
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from aiohttp import ClientError

from subsession.async_client import AsyncClient
from subsession.client import Client
from subsession.errors import SubsessionError
from subsession.start import is_alive, wait_gone
from subsessiond.core.views.events import CHANGED, EVENT_NAMES
from tests.support.closing import PROC, marked, within

REPOSITORY = Path(__file__).parents[2]
KILLS = 60 if os.environ.get("SCENARIO_CYCLES") == "full" else 10
LONGEST_S = 1.6
"""From the daemon's first answer to the kill: a review of the project below takes about as long."""

SLOW_TEST = """
import subprocess, time
def test_that_leaves_something_behind():
    subprocess.Popen(["sleep", "600"], start_new_session=True)
    time.sleep(1)
"""
FOUND_SO = ("daemon-restart", "start-interrupted")
NAMES = {kind.__name__: name for kind, name in EVENT_NAMES.items()}

Event = tuple[int, str, str, int]
"""Number, name, node, time."""


class Run:
    """A small project under review, and the state of the daemon that reviews it."""

    def __init__(self) -> None:
        # Why not pytest's tmp_path: a socket's path has to be short.
        self.folder = Path(tempfile.mkdtemp(prefix="ssr-"))
        self.state = self.folder / "run"
        self.project = self.folder / "project"
        self.project.mkdir()
        (self.project / "pyproject.toml").write_text("[tool.mypy]\nfiles = ['wrong.py']\n")
        (self.project / "wrong.py").write_text("import os\nx: int = 'text'\n")
        (self.project / "test_it.py").write_text(SLOW_TEST)
        self.pids: list[int] = []

    @asynccontextmanager
    async def reviewing(self) -> AsyncIterator[asyncio.StreamReader]:
        """Let the project be reviewed; gives what the review says."""
        words = (str(self.project), "--with-tests", "--state", str(self.folder))
        review = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "scripts.review", *words),
            cwd=REPOSITORY,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        assert review.stdout is not None
        try:
            yield review.stdout
            assert await asyncio.wait_for(review.wait(), 20) in (0, 1)
        finally:
            if review.returncode is None:
                review.kill()
                await review.wait()

    def client(self, *, start: bool = False) -> Client:
        """Give a client of the run's daemon, as `scripts/run` and `subsession up` make it."""
        return Client(state_dir=self.state, token="", start=start)

    def start(self) -> int:
        """Start a daemon on what was left; gives its process."""
        with self.client(start=True) as client:
            self.pids.append(int(client.connect()["pid"]))
        return self.pids[-1]

    def kill(self, pid: int) -> None:
        """End the daemon without a chance to clean up."""
        os.kill(pid, signal.SIGKILL)
        assert wait_gone(self.state / "run" / "daemon.sock", pid, 10)

    def events(self) -> list[Event]:
        """Read all events from a copy of the store: nothing of the original is touched."""
        with tempfile.TemporaryDirectory(dir=self.folder) as copy:
            for path in self.state.glob("registry.sqlite*"):
                shutil.copy(path, copy)
            db = sqlite3.connect(Path(copy) / "registry.sqlite")
            try:
                rows = db.execute("SELECT seq, type, node, at_ms FROM events ORDER BY seq")
                return [(seq, NAMES[kind], node, at) for seq, kind, node, at in rows]
            finally:
                db.close()

    def working_here(self) -> list[int]:
        """Find every process that works in the project, whatever it calls itself."""
        found = []
        for pid in (int(name) for name in os.listdir(PROC) if name.isdecimal()):
            with suppress(OSError):
                place = Path(os.readlink(PROC / str(pid) / "cwd"))
                found += [pid] if place.is_relative_to(self.project) else []
        return found

    def discard(self) -> None:
        """End all daemons of this run and remove what it has."""
        for pid in filter(is_alive, self.pids):
            self.kill(pid)
        shutil.rmtree(self.folder)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Give a project, and a state of its own for the daemon that reviews it."""
    for name in [name for name in os.environ if name.startswith(("SUBSESSION_", "XDG_"))]:
        monkeypatch.delenv(name)
    made = Run()
    (made.state / "config").mkdir(parents=True, mode=0o700)
    monkeypatch.setenv("SUBSESSION_CONFIG_DIR", str(made.state / "config"))
    yield made
    made.discard()


class Told(NamedTuple):
    """What a daemon told somebody who looked on."""

    events: list[Event]
    settled: dict[str, tuple[str, str]]
    """Outcome and reason of each child that was said to have settled."""


async def look_on(state: Path, told: Told) -> None:
    """Note every durable event that is told until the daemon is gone."""
    with suppress(SubsessionError, ClientError, OSError):  # it was killed meanwhile: that is meant
        async with (
            AsyncClient(state_dir=str(state), token="") as client,
            aclosing(client.events(0)) as stream,
        ):
            async for note in stream:
                if note.get("method") == "events.event" and durable(note):
                    told.events.append((note["seq"], note["type"], note["node"], note["at"]))
                    if note["type"] == "node.settled":
                        row = note["row"]
                        told.settled[note["node"]] = (row["outcome"], row["reason"])


def durable(note: dict[str, Any]) -> bool:
    """Whether a note stands for an event of the store, not for what another event changed."""
    return note["type"] not in (CHANGED, "sign.seen")


@pytest.mark.timeout(90)  # a review and three starts of a daemon
@pytest.mark.parametrize("kill", range(KILLS))
async def test_a_review_whose_daemon_is_killed(kill: int, run: Run, dice: random.Random) -> None:
    """What was told is there, children ended by themselves or as found, and nothing is redone."""
    told = Told([], {})
    async with run.reviewing() as said:
        first = re.match(rb"daemon \S+, process (\d+)", await said.readline())
        assert first is not None
        run.pids.append(int(first[1]))
        looking = asyncio.create_task(look_on(run.state, told))
        await asyncio.sleep(LONGEST_S * dice.random() ** 2)  # most happens at the beginning
        run.kill(run.pids[-1])
        await asyncio.wait_for(looking, 10)
        await asyncio.wait_for(said.read(), 20)
    kept = run.events()
    assert set(told.events) <= set(kept)
    second = run.start()
    check_second_start(run, told, kept)
    after = run.events()
    run.kill(second)
    run.start()
    assert run.events() == after


def check_second_start(run: Run, told: Told, kept: list[Event]) -> None:
    """Look at what a start after a kill made of every child."""
    assert run.events()[: len(kept)] == kept
    ended_before = {node for _, name, node, _ in kept if name == "node.settled"}
    with run.client() as client:
        rows = {row["nodeId"]: row for row in client.tree()["rows"]}
        roots = [node for node, row in rows.items() if "parentId" not in row]
        mail = [m for root in roots for m in client.inbox(node_id=root)["messages"]]
    assert {node for _, _, node, _ in kept} == set(rows)
    for node in rows.keys() - set(roots):
        row = rows[node]
        assert row["state"] == "released"
        assert (row["reason"] in FOUND_SO) == (node not in ended_before), row
    for node, end in told.settled.items():
        assert (rows[node]["outcome"], rows[node]["reason"]) == end
    finals = [message["senderSessionId"] for message in mail if message["stage"] == "final"]
    assert sorted(finals) == sorted(rows.keys() - set(roots))
    assert marked(rows) == {}
    within(run.working_here, "processes that work in the project")
