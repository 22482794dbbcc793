"""Processes that join a tree on a stage: started by the tests, attached as a person would."""

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator

from msgspec.structs import replace

from subsessiond.adapters.processes.proc import ProcTable
from subsessiond.model.commands import Attach, Caller
from subsessiond.model.decision import Accepted
from subsessiond.model.ids import NodeId
from subsessiond.model.process import ATTACHED, Identity, Stopped
from subsessiond.ports import RunningChild
from tests.support.policies import GUEST, JOINED, a_policy
from tests.support.stage import Stage


class Joiner:
    """Starts shells and attaches them.

    Args:
        here: where their nodes wait.
        table: reads the process table.
    """

    def __init__(self, here: Stage, table: ProcTable) -> None:
        self._here = here
        self._table = table
        self.started: list[subprocess.Popen[bytes]] = []

    def start(self, script: str, **environ: str) -> subprocess.Popen[bytes]:
        """Start a shell in a session of its own, where its input ends when it is to go on."""
        process = subprocess.Popen(
            ["sh", "-c", script],
            cwd=self._here.folder,
            env={**os.environ, **environ},
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        self.started.append(process)
        return process

    def identity(self, node_id: str, process: subprocess.Popen[bytes]) -> Identity:
        """Say who a process is, as the edge does."""
        stat = self._table.stat(process.pid)
        assert stat is not None
        return Identity(
            pid=process.pid,
            start_ticks=stat.start_ticks,
            boot_id=self._table.boot_id,
            container=ATTACHED,
            marker=f"SUBSESSION_NODE={node_id}",
        )

    async def join(self, node_id: NodeId, script: str) -> subprocess.Popen[bytes]:
        """Start a process that carries the mark of a node, and attach it."""
        process = self.start(script, SUBSESSION_NODE=node_id)
        identity, now = self.identity(node_id, process), self._here.voice.now()
        command = Attach(node=node_id, identity=identity, caller=Caller(), **now)
        assert isinstance(await self._here.registry.submit(command), Accepted)
        return process

    def close(self) -> None:
        """End all that was started."""
        for process in self.started:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            if process.stdin is not None:
                process.stdin.close()
            process.wait(10)
            with contextlib.suppress(ChildProcessError):  # whom it had started come to us
                while True:
                    os.waitpid(-process.pid, 0)


@contextlib.contextmanager
def joiner(here: Stage) -> Iterator[Joiner]:
    """Let the role `joined` wait for processes on a stage."""
    limits = here.registry.policy.limits
    here.registry.policy = replace(a_policy(JOINED, agents=(GUEST,)), limits=limits)
    table = ProcTable()
    made = Joiner(here, table)
    try:
        yield made
    finally:
        made.close()
        table.close()


class Joined:
    """A child to which a process comes once its run has begun."""

    def __init__(self, by: Joiner, child: RunningChild, node_id: NodeId, script: str) -> None:
        self._by, self._child, self._node, self._script = by, child, node_id, script
        self._stopped = False
        self.prompt, self.wake = child.prompt, child.wake

    async def run(self) -> None:
        """Run, and be attached."""
        running = asyncio.ensure_future(self._child.run())
        try:
            if not self._stopped:
                await self._by.join(self._node, self._script)
            await running
        finally:
            running.cancel()
            await asyncio.wait((running,))

    async def stop(self, *, hurry: bool = False) -> Stopped:
        """Stop."""
        self._stopped = True
        return await self._child.stop(hurry=hurry)
