"""One parent, from its mission to its end."""

import asyncio
import json
import os
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.support.parents.seen import PARENT
from tests.support.rigs import Prepared

ENDS_S: Final = 120.0
LINE: Final = 2**26


class Ended(NamedTuple):
    """What became of a parent."""

    status: int
    lines: list[dict[str, Any]]
    """What it printed."""
    seconds: float

    @property
    def said(self) -> str:
        """All that it printed, as text."""
        return json.dumps(self.lines, ensure_ascii=False)


class Running:
    """A parent that runs."""

    def __init__(self, process: asyncio.subprocess.Process, mission: str) -> None:
        self.process = process
        self.began = time.monotonic()
        self._talk = asyncio.create_task(process.communicate(mission.encode()))

    async def end(self) -> Ended:
        """Wait until it has ended."""
        out, err = await asyncio.wait_for(asyncio.shield(self._talk), ENDS_S)
        assert self.process.returncode is not None
        read = [json.loads(line) for line in out.splitlines() if line.startswith(b"{")]
        assert read, err.decode()[-2_000:]
        return Ended(self.process.returncode, read, time.monotonic() - self.began)

    async def kill(self) -> None:
        """Kill it, and all that it has started but for what left its group."""
        if self.process.returncode is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        await self._talk


@asynccontextmanager
async def parent(prepared: Prepared, folder: Path, words: str) -> AsyncIterator[Running]:
    """Run a parent for the length of a block.

    Args:
        prepared: its command line and environment.
        folder: where it works.
        words: its mission, script and all.
    """
    process = await asyncio.create_subprocess_exec(
        *prepared.argv,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=prepared.env,
        cwd=folder,
        start_new_session=True,
        limit=LINE,
    )
    running = Running(process, PARENT + words)
    try:
        yield running
    finally:
        await running.kill()
