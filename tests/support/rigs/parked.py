"""A daemon in small: holds one agent in a container and parks it in its shell.

As a program: `python -m tests.support.rigs.parked KIND NODE RIG FOLDER STUB LINE` starts the agent
in FOLDER, prints its identity as JSON, lets its model at STUB run LINE, and waits. On TERM it goes
down the ladder, prints what that came to, and leaves; killed, it leaves all to whoever comes next.
"""

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import msgspec

from subsessiond.adapters.processes import LinuxProcesses, Process
from subsessiond.model.process import Launch
from tests.support.agents.noting import noting
from tests.support.modelstub import script
from tests.support.rigs import RIGS, Rig, Speaks, prepare
from tests.support.rigs.acp import Agent, open_session

NOTE = Path(__file__).parents[1] / "agents/note.py"
GRACE_MS = 3_000


class Pipes:
    """Looks like a process of asyncio's to an ACP client."""

    def __init__(self, process: Process) -> None:
        self.stdin = self
        self.stdout = self._lines()
        self._process = process
        self._writes: set[asyncio.Task[None]] = set()

    def write(self, data: bytes) -> None:
        """Write in the background, in order."""
        task = asyncio.create_task(self._process.write(data))
        self._writes.add(task)
        task.add_done_callback(self._writes.discard)

    async def _lines(self) -> AsyncIterator[bytes]:
        rest = b""
        while chunk := await self._process.read_stdout():
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                yield line


async def main(kind: str, node: str, name: str, folder: Path, stub: str, line: str) -> None:
    """Run the agent until somebody asks this to stop."""
    rig, stopping = RIGS[name], asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    server = [sys.executable, str(NOTE), str(folder / "notes")]
    workspace = folder / "workspace"
    workspace.mkdir()
    words = {"shim_program": server[0], "shim_args": json.dumps(server[1:])}
    prepared = prepare(rig, folder / "home", stub, edits=rig.speaks is Speaks.JSONL, **words)
    brief = f"Do it. {script(rig.shell.step(line=line), {'text': 'done'})}"
    stdin = brief.encode() if rig.speaks is Speaks.JSONL else None
    env = tuple(prepared.env.items())
    processes = LinuxProcesses(container=kind, term_grace_ms=GRACE_MS)
    launch = Launch(node_id=node, argv=prepared.argv, cwd=str(workspace), env=env, stdin=stdin)
    process = await processes.spawn(launch)
    _say(process.identity)
    ours: dict[str, Any] = {"command": server[0], "args": server[1:], "env": []}
    async with noting(folder / "notes") as address:
        if rig.mcp_by_http:
            ours = {"type": "http", "url": address, "headers": []}
        talking = asyncio.create_task(_talk(process, rig, brief, workspace, ours))
        await stopping.wait()
        _say(await process.stop())
        talking.cancel()
        await asyncio.wait([talking])
    await processes.aclose()


async def _talk(
    process: Process, rig: Rig, brief: str, workspace: Path, server: dict[str, Any]
) -> None:
    if rig.speaks is Speaks.JSONL:
        while await process.read_stdout():
            pass
        return
    agent = Agent(cast("asyncio.subprocess.Process", Pipes(process)), rig.report_title)
    reading = asyncio.create_task(agent.read())
    await open_session(agent, rig, workspace, server)
    turn = agent.prompt(brief)
    await asyncio.wait([reading, turn])


def _say(value: Any) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(value) + b"\n")
    sys.stdout.flush()


if __name__ == "__main__":
    given = sys.argv[1:]
    asyncio.run(main(given[0], given[1], given[2], Path(given[3]), given[4], given[5]))
