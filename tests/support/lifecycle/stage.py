"""A daemon whose agents ask the model stub, and what can be seen of them from outside."""

import asyncio
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from subsession.client import Client
from tests.support.closing import marked
from tests.support.daemon import Daemon
from tests.support.hire import wait_for
from tests.support.modelstub import Request, Stub, Usage, script
from tests.support.rigs import BIN

WITHIN_S: Final = 120.0
"""For anything to come: three agents start at once on two busy cores, and one takes ten seconds."""

LIMITS: Final = """
[limits]
spawn_burst = 100
live_per_parent = 20
start_timeout_ms = 120_000
[processes]
term_grace_ms = 1_500
"""
TEMPORARY: Final = BIN.parent / "tmp"
LOOK_S: Final = 0.1
PROC: Final = Path("/proc")
SHIM: Final = b"shim.py"
KEEPER: Final = b"subsession-init"


class Stage:
    """A daemon at work, with one root whose mail is read as the root itself reads it."""

    def __init__(self, daemon: Daemon, stub: Stub) -> None:
        self.daemon = daemon
        self.stub = stub
        opened = daemon.call("subsession.open", workspace=str(daemon.workspace))
        self.root = str(opened["nodeId"])
        self.mail: list[dict[str, Any]] = []
        """What the root was shown, in order; each was acknowledged with the next look."""
        self._token = str(opened["token"])

    async def call(self, method: str, **params: Any) -> Any:
        """Call one method as the operator."""
        return await asyncio.to_thread(self.daemon.call, f"subsession.{method}", **params)

    async def spawn(self, mark: str, *steps: dict[str, Any], **order: Any) -> str:
        """Hire a child that plays these steps; its requests are known by the mark.

        Args:
            mark: a word that stands nowhere else.
            steps: what its model does.
            order: `when` for the script, `role`, and fields of the brief.
        """
        mission = f"Do {mark}. {script(*steps, when=order.pop('when', None))}"
        role = order.pop("role", "worker")
        brief = {"mission": mission, **order}
        answer = await self.call("spawn", parentId=self.root, role=role, brief=brief)
        return str(answer["nodeId"])

    async def until(self, node: str, *states: str) -> dict[str, Any]:
        """Wait until a node is in one of these states."""
        return await asyncio.to_thread(wait_for, self.daemon, node, *states, within_s=WITHIN_S)

    async def held(self, gate: str) -> None:
        """Wait until a model waits at a gate."""
        await self.stub.wait_held(gate, WITHIN_S)

    async def read_mail(self, count: int) -> None:
        """Let the root read, and acknowledge, until it has been shown so many messages in all."""
        await asyncio.to_thread(self._read_mail, count)

    def _read_mail(self, count: int) -> None:
        with Client(self.daemon.socket, token=self._token) as root:
            while len(self.mail) < count:
                page = root.call("subsession.inbox", {"waitMs": 50_000})["messages"]
                assert page, f"{len(self.mail)} of {count} messages: {self.mail}"
                self.mail += page
                ids = [message["messageId"] for message in page]
                root.call("subsession.inbox", {"acknowledge": ids})

    async def no_more_mail(self) -> bool:
        """Tell whether the root has been shown all there is."""
        page = await self.call("inbox", nodeId=self.root)
        return not page["messages"]

    def asked(self, mark: str) -> list[Request]:
        """Give the steps that a child's model was asked for."""
        return [r for r in self.stub.requests if r.scripted and r.holds(f"Do {mark}. ")]

    def told(self, mark: str) -> Usage:
        """Give the sum of what a child's model told for its steps."""
        total = Usage()
        for request in self.asked(mark):
            total = total.plus(request.usage or Usage())
        return total

    async def agent_pid(self, node: str) -> int:
        """Give the process of a child's agent: what its runner started."""
        pid = int((await self.call("node", nodeId=node))["identity"]["pid"])
        while _read(pid, "comm").strip() == KEEPER:  # ours is above it
            pid = int(_read(pid, f"task/{pid}/children").split()[0])
        return pid

    async def until_runs(self, words: str) -> None:
        """Wait until a process has these words in its command line."""
        await asyncio.to_thread(wait_running, words)

    def left_of(self, node: str, words: str) -> list[int]:
        """Give what is left of a child: by its mark, and by the words of its tool."""
        return [*marked([node]), *list_running(words)]

    def left_here(self) -> list[int]:
        """Give every process that works in the workspace: children come without a mark too."""
        home = str(self.daemon.workspace)
        return [pid for pid in list_pids() if _place(pid).startswith(home)]

    def shim_kib(self) -> int | None:
        """Give the resident memory of the one MCP server that runs now."""
        for pid in list_running(str(self.daemon.socket)):
            if any(word.endswith(SHIM) for word in _read(pid, "cmdline").split(b"\0")[3:4]):
                lines = _read(pid, "status").decode().splitlines()
                return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))
        return None


def wait_running(words: str) -> None:
    """Wait until a process has these words in its command line.

    Why looking again and again: an agent's tool tells nobody that it has begun.
    """
    until = time.monotonic() + WITHIN_S
    while not list_running(words):
        assert time.monotonic() < until, f"nothing runs {words}"
        time.sleep(LOOK_S)


def list_pids() -> list[int]:
    """Give every process there is."""
    return [int(name) for name in os.listdir(PROC) if name.isdecimal()]


def list_running(words: str) -> list[int]:
    """Give the processes that have these words in their command lines."""
    return [pid for pid in list_pids() if words.encode() in _read(pid, "cmdline")]


def _read(pid: int, name: str) -> bytes:
    try:
        return (PROC / str(pid) / name).read_bytes()
    except OSError:  # gone
        return b""


def _place(pid: int) -> str:
    try:
        return os.readlink(PROC / str(pid) / "cwd")
    except OSError:  # gone
        return ""


@asynccontextmanager
async def stage(
    tables: Callable[[str], str],
    home_of: Callable[[str, Path], dict[str, str]],
    more: dict[str, str] | None = None,
) -> AsyncIterator[Stage]:
    """Run stub and daemon for the length of a block.

    Args:
        tables: makes `agents.toml`, from the stub's address.
        home_of: fills the user's HOME and gives the daemon's environment, from that and a folder.
        more: further files of the configuration.
    """
    async with Stub() as stub:
        home = make_folder("home-")
        config = {"agents.toml": tables(stub.url), "subsessiond.toml": LIMITS, **(more or {})}
        made = Daemon(config=config, environ=home_of(stub.url, home))
        try:
            await asyncio.to_thread(made.start)
            yield await asyncio.to_thread(Stage, made, stub)
        finally:
            await asyncio.to_thread(made.stop)
            made.discard()
            await asyncio.to_thread(drop_folder, home)


def make_folder(prefix: str) -> Path:
    """Make a folder that nobody else may write to, nor to any above: one agent looks."""
    TEMPORARY.mkdir(mode=0o700, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix=prefix, dir=TEMPORARY))


def drop_folder(folder: Path) -> None:
    """Remove a folder, whatever an agent made of its rights."""
    subprocess.run(["chmod", "-R", "u+rwX", str(folder)], check=True)
    shutil.rmtree(folder)
