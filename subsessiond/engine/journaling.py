"""Journal lines on their way into their files: behind the commits, in order, in batches."""

import asyncio
from contextlib import suppress

import structlog

from subsessiond.model.effects import AppendJournal
from subsessiond.ports import JournalLine, Journals, Store, StoreFault, WorkspaceFault

log = structlog.get_logger(__name__)

REST_S = 0.05
"""Between two passes: the files are synced on the disk that the next commits wait for. One line
after a while is written at once; of many, those of a twentieth of a second share their syncs."""


class Journaling:
    """Appends journal lines after their commit; the store keeps each until it is synced."""

    def __init__(self, journals: Journals, store: Store) -> None:
        self._journals = journals
        self._store = store
        self._waiting: list[JournalLine] = []
        self._taken = 0
        self._done = 0
        self._wake = asyncio.Event()
        self._hurry = asyncio.Event()
        self._news = asyncio.Condition()
        self._stopped = False
        self._over = False

    def add(self, effect: AppendJournal) -> None:
        """Queue one line."""
        self._queue(
            JournalLine(
                node_id=effect.node,
                workspace=effect.workspace,
                n=effect.line,
                at_ms=effect.at_ms,
                kind=effect.kind,
                body=effect.body,
            ),
        )

    async def catch_up(self) -> None:
        """Queue what an earlier life committed but may not have written."""
        for line in await self._store.unsynced_lines():
            self._queue(line)

    async def settle(self) -> None:
        """Wait until what is queued now was written, or could not be (a successor reads it).

        What others queue meanwhile is not waited for, and nobody waits once `run` has ended.
        """
        wanted = self._taken
        self._hurry.set()
        async with self._news:
            await self._news.wait_for(lambda: self._done >= wanted or self._over)

    def stop(self) -> None:
        """Let `run` return once everything that can be written is written."""
        self._stopped = True
        self._wake.set()
        self._hurry.set()

    async def run(self) -> None:
        """Write lines until stopped."""
        try:
            while not (self._stopped and not self._waiting):
                await self._wake.wait()
                self._wake.clear()
                while self._waiting:
                    lines, self._waiting = tuple(self._waiting), []
                    await self._write(lines)
                    await self._tell(len(lines))
                    await self._rest()
        finally:
            self._over = True
            await self._tell(0)

    async def _rest(self) -> None:
        """Let lines gather for a while, unless somebody waits for them."""
        if self._stopped:
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(REST_S):
                await self._hurry.wait()
        # Why after: who asked while lines were being written is in a hurry all the same.
        self._hurry.clear()

    def _queue(self, line: JournalLine) -> None:
        self._waiting.append(line)
        self._taken += 1
        self._wake.set()

    async def _tell(self, lines: int) -> None:
        self._done += lines
        async with self._news:
            self._news.notify_all()

    async def _write(self, lines: tuple[JournalLine, ...]) -> None:
        try:
            safe = await self._journals.append(lines)
            if safe:
                await self._store.lines_synced(safe)
        except (WorkspaceFault, StoreFault, OSError) as fault:
            # Why go on: the store holds these lines until a later start writes them.
            log.warning("journal lines wait in the store", lines=len(lines), fault=str(fault))
