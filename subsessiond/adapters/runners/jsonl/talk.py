"""What is said to a headless program between two of its runs, where it can take up where it was.

While one runs, what comes waits here, and may yet ride on an answer of our tools; what then has not
been read begins the next run. Between two runs nothing of the child runs: it waits for free.
"""

import asyncio
from collections import deque
from collections.abc import Callable

from subsessiond.adapters.runners.mailbox import Mailbox
from subsessiond.adapters.runners.saying import Said


class Talk:
    """Holds what is to be said to one child.

    Args:
        mailbox: of the child.
    """

    def __init__(self, mailbox: Mailbox) -> None:
        self._mailbox = mailbox
        self._queue: deque[Said] = deque()
        self._news = asyncio.Event()
        self._nudged = False
        self._over = False

    async def say(self, message_id: str | None, text: str) -> bool:
        """Have something said with the next run; tells whether it was."""
        if self._over:
            return False
        said = Said(text, message_id)
        self._queue.append(said)
        self._news.set()
        return await said.read

    def nudge(self) -> None:
        """Look at the mail once the run is over."""
        self._nudged = True
        self._news.set()

    def close(self) -> None:
        """Leave the rest unsaid."""
        self._over = True
        self._news.set()
        while self._queue:
            self._queue.popleft().settle(read=False)

    async def next(self, end_turn: Callable[[], None]) -> Said | None:
        """Give what begins the next run, once there is something.

        Args:
            end_turn: called once, where there is nothing to say yet.

        Returns:
            What to say; none where the child has settled or is being stopped.
        """
        has_ended = False
        await self._mailbox.settle()
        while self._mailbox.is_live and not self._over:
            said = self._queued() or await self._mail()
            if said is not None:
                return said
            if not has_ended:
                has_ended = True
                end_turn()
            self._news.clear()
            await self._news.wait()
        return None

    def note_said(self, said: Said) -> None:
        """Tell that a run has begun with it."""
        if said.message_id is not None:
            self._mailbox.note_read(said.message_id)
        said.settle(read=True)

    def note_heard(self) -> None:
        """Tell that a run which began with mail ended well."""
        self._mailbox.note_heard()

    def _queued(self) -> Said | None:
        while self._queue:
            said = self._queue.popleft()
            if said.message_id is None or self._mailbox.take_one(said.message_id):
                return said
            said.settle(read=False)  # it rode on the answer of a tool
        return None

    async def _mail(self) -> Said | None:
        if not self._nudged:
            return None
        self._nudged = False
        text = await self._mailbox.take()
        # Why looked at: it may have settled meanwhile, and its mail goes to whoever takes over.
        return Said(text) if text and self._mailbox.is_live else None
