"""Tasks of the transport: kept hold of while they run, ended when the server stops."""

import asyncio
from collections.abc import Coroutine
from typing import Any


class Running:
    """A set of tasks that nobody else waits for. They never raise: each answers its own faults."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Begin work. Work started earlier takes its first step earlier."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def settle(self, seconds: float) -> None:
        """Wait at most so long for all that runs now to end by itself."""
        if self._tasks:
            await asyncio.wait(tuple(self._tasks), timeout=seconds)

    async def stop(self) -> None:
        """Cancel what still runs and wait for it."""
        while tasks := tuple(self._tasks):
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
