"""Public agents with the lines that `subsession install` writes: our tools, and the end of a turn.

Each runs with a HOME of its own, in which nothing names our server but what was installed there.
"""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tests.support.daemon import Daemon
from tests.support.hire import wait_for
from tests.support.homes import is_private, make_hooked_home, place_for_homes
from tests.support.modelstub import Stub, script
from tests.support.rigs import BIN, RIGS, Rig, codex, gemini, opencode
from tests.support.rigs.rig import basic_env, put_in

WITHIN_S: Final = 90.0
TOLD: Final = "Before you finish"
"""How the daemon's words begin when a turn is not to end yet."""

COMMANDS: Final = {
    "claude": (
        *("{bin}/claude", "-p", "--output-format", "stream-json", "--verbose"),
        *("--tools", "Read", "--allowedTools", "mcp__subsession", "--permission-prompts", "none"),
    ),
    # Why: a person looks at a new hook once, in a terminal; nobody does here.
    "codex": (*codex.EXEC.command, "--dangerously-bypass-hook-trust"),
    "gemini": (*gemini.PRINT.command, "--allowed-mcp-server-names", "subsession"),
    "opencode": opencode.RUN.command,
}
HOOKED: Final = ("claude", "codex", "gemini")

pytestmark = [
    pytest.mark.skipif(not BIN.exists(), reason="scripts/agents has not run in this clone"),
    pytest.mark.timeout(240),
]


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let homes lie in folders that nobody else may write above: gemini looks."""
    place = place_for_homes()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


@dataclass
class Person:
    """Somebody whose agent is installed, beside a daemon and a model."""

    daemon: Daemon
    stub: Stub
    rig: Rig
    env: dict[str, str]

    def subsession(self, *words: str) -> str:
        """Type a command; gives what it printed."""
        done = subprocess.run(
            [sys.executable, "-m", "subsession", *words],
            env={**self.env, "PATH": f"{Path(sys.executable).parent}:{os.defpath}"},
            cwd=self.daemon.workspace,
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def uninstall(self) -> None:
        """Take our lines out of files in which the agent has written meanwhile."""
        state = ("--state-dir", str(self.daemon.state))
        self.subsession("uninstall", self.rig.name, "--yes", *state)
        listed = json.loads(self.subsession("install", "--json", *state))["clients"]
        (mine,) = (client for client in listed if client["agent"] == self.rig.name)
        assert {place["state"] for place in mine["places"]} == {"absent"}

    @asynccontextmanager
    async def agent(self, prompt: str) -> AsyncIterator[asyncio.subprocess.Process]:
        """Run the agent on a prompt; it and all it started end with the block."""
        argv = [put_in(word, {"bin": str(BIN)}) for word in COMMANDS[self.rig.name]]
        out = (self.daemon.folder / "agent.out").open("wb")
        process = await asyncio.create_subprocess_exec(
            *argv,
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=out,
            env=self.env,
            cwd=self.daemon.workspace,
            start_new_session=True,
        )
        out.close()
        assert process.stdin is not None
        process.stdin.write(prompt.encode())
        process.stdin.close()
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):  # it has ended by itself
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()

    def said(self) -> str:
        """Give what the agent printed last."""
        return (self.daemon.folder / "agent.out").read_text("utf-8", "replace")[-3_000:]


@asynccontextmanager
async def person(name: str, *, named: bool = True) -> AsyncIterator[Person]:
    """Give a home with an agent's own settings, and ours put in by the command.

    Args:
        name: the agent.
        named: whether our lines name the daemon; else the environment does.
    """
    rig = RIGS[name]
    if not rig.installed:
        pytest.skip(f"{name} is not installed: scripts/agents")
    if name.startswith("gemini") and not is_private(place_for_homes()):
        pytest.skip("a folder above may be written to by others, and gemini reads no settings then")
    home = Path(tempfile.mkdtemp(prefix="home-"))
    try:
        async with Stub() as stub:
            make_hooked_home(name, stub.url, home)
            env = basic_env(home) | put_in(dict(rig.env), {"stub": stub.url})
            with Daemon() as daemon:
                one = Person(daemon, stub, rig, env)
                state = str(daemon.state)
                if not named:
                    env["SUBSESSION_STATE_DIR"] = state
                option = ("--state-dir", state) if named else ()
                one.subsession("install", name, "--yes", *option)
                yield one
    finally:
        shutil.rmtree(home, ignore_errors=True)


@pytest.mark.parametrize("name", tuple(COMMANDS))
async def test_our_tools_are_offered_to_its_model_and_work(name: str) -> None:
    """What was installed is read: the model may call our tools, until it is taken out again."""
    steps = ({"call": "subsession_tree", "args": {}}, {"text": "bye"})
    async with person(name) as one, one.agent(f"Look. {script(*steps)}") as agent:
        await asyncio.wait_for(agent.wait(), WITHIN_S)
        assert not one.stub.faults, (one.stub.faults, one.said())
        offered = {tool for request in one.stub.requests for tool in request.offered}
        ours = {
            tool for tool in offered if "subsession_spawn" in tool or "subsession_inbox" in tool
        }
        assert len(ours) == 2, (offered, one.said())
        results = [result for request in one.stub.requests for result in request.results]
        assert results, one.said()
        roots = [row for row in one.daemon.rows().values() if row.get("parentId") is None]
        assert len(roots) == 1
        one.uninstall()


@pytest.mark.parametrize("name", HOOKED)
async def test_a_turn_does_not_end_before_mail_was_read(name: str) -> None:
    """Its child has reported; the agent would stop, is told so, reads the report, and stops."""
    steps = ({"call": "subsession_tree", "args": {}}, {"wait": "end", "text": "I am done."})
    read = (
        {"call": "subsession_inbox", "args": {}},
        {"call": "subsession_inbox", "args": {"acknowledge": True}},
        {"text": "Now I am."},
    )
    prompt = f"Look. {script(*steps, when={TOLD: read})}"
    async with person(name) as one, one.agent(prompt) as agent:
        await one.stub.wait_held("end", WITHIN_S)
        root = next(iter(one.daemon.rows()))
        order = {"role": "check", "brief": {"mission": "say it"}, "argv": ["echo", "42 words"]}
        child = one.daemon.call("subsession.spawn", parentId=root, **order)["nodeId"]
        wait_for(one.daemon, child, "released", within_s=WITHIN_S)
        one.stub.release("end")
        await asyncio.wait_for(agent.wait(), WITHIN_S)
        assert not one.stub.faults, (one.stub.faults, one.said())
        told = one.stub.holding(f"{TOLD}: you have a message from a subagent")
        assert told, one.said()
        results = [r for request in one.stub.requests for r in request.results if "42 words" in r]
        assert results, one.said()
        assert one.daemon.call("subsession.inbox", nodeId=root)["messages"] == []


async def test_codex_leads_its_server_to_the_daemon_that_its_environment_names() -> None:
    """It keeps its environment to itself but for the variables that our lines name."""
    steps = ({"call": "subsession_tree", "args": {}}, {"text": "bye"})
    async with person("codex", named=False) as one, one.agent(f"Look. {script(*steps)}") as agent:
        await asyncio.wait_for(agent.wait(), WITHIN_S)
        assert len(one.daemon.rows()) == 1, one.said()
