"""What was said to the child, until the loop comes to a place where it can be heard."""

import asyncio
from collections import deque

from subsessiond.adapters.runners.mailbox import Mailbox


class Hearing:
    """Keeps what is said, in order, and knows that mail waits."""

    def __init__(self, mailbox: Mailbox) -> None:
        self._mailbox = mailbox
        self._waiting: deque[tuple[str | None, str, asyncio.Future[bool]]] = deque()
        self._news = asyncio.Event()
        self._mail = False
        self._over = False

    async def say(self, message_id: str | None, text: str) -> bool:
        """Wait until it is heard; tells whether it was."""
        if self._over:
            return False
        heard: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((message_id, text, heard))
        self._news.set()
        return await heard

    def wake(self) -> None:
        """Mail waits."""
        self._mail = True
        self._news.set()

    async def take(self) -> list[str]:
        """Give everything that can be heard now; what somebody said to it counts as read."""
        self._news.clear()
        texts = []
        while self._waiting:
            message_id, text, heard = self._waiting.popleft()
            if heard.done():
                continue  # who said it is gone
            # Why looked at: it may have been handed over on another way by now.
            if message_id is None or self._mailbox.take_one(message_id):
                texts.append(text)
                if message_id is not None:
                    self._mailbox.note_read(message_id)
            heard.set_result(True)
        if self._mail:
            self._mail = False
            if text := await self._mailbox.take():
                texts.append(text)
        return texts

    async def next(self) -> list[str]:
        """Wait for something to hear."""
        while not (texts := await self.take()):
            await self._news.wait()
        return texts

    def close(self) -> None:
        """Leave the rest unheard."""
        self._over = True
        while self._waiting:
            _, _, heard = self._waiting.popleft()
            if not heard.done():
                heard.set_result(False)
