"""What is said to a child that plays a script, until it gets to it."""

import asyncio
from collections import deque
from collections.abc import Callable


class Prompts:
    """What was said to a child, until it reads it, in order.

    Args:
        on_read: Told the name of each message at the moment in which it is read.
    """

    def __init__(self, on_read: Callable[[str], None]) -> None:
        self._on_read = on_read
        self._unread: deque[tuple[str | None, asyncio.Future[bool]]] = deque()
        self._news = asyncio.Event()
        self._nudged = False
        self._over = False

    async def say(self, message_id: str | None) -> bool:
        """Wait until it is read; tells whether it was."""
        if self._over:
            return False
        read: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._unread.append((message_id, read))
        self._news.set()
        return await read

    def nudge(self) -> None:
        """Let whoever waits for the next turn know that mail is one too."""
        self._nudged = True
        self._news.set()

    def unnudge(self) -> None:
        """Forget the mail of the turn that is over."""
        self._nudged = False

    async def read(self) -> None:
        """Read the oldest one; wait for one when there is none."""
        while not self._unread:
            self._news.clear()
            await self._news.wait()
        self._settle(self._unread.popleft(), read=True)

    async def next_turn(self) -> bool:
        """Wait for what begins a turn: something said, which is read, or mail; tells which."""
        while not self._unread and not self._nudged:
            self._news.clear()
            await self._news.wait()
        if self._unread:
            self._settle(self._unread.popleft(), read=True)
            return False
        self._nudged = False
        return True

    def close(self) -> None:
        """Leave the rest unread."""
        self._over = True
        while self._unread:
            self._settle(self._unread.popleft(), read=False)

    def _settle(self, prompt: tuple[str | None, asyncio.Future[bool]], *, read: bool) -> None:
        message_id, heard = prompt
        if heard.done():
            return
        heard.set_result(read)
        if read and message_id is not None:
            self._on_read(message_id)
