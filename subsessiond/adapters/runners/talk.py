"""What is to be said to one child between its turns, in order.

What was said to it comes first, then its mail; before both, once, what it was refused in the turn
that is over.
"""

import asyncio
from collections import deque
from collections.abc import Callable

from subsessiond.adapters.runners.mailbox import Mailbox
from subsessiond.adapters.runners.refusals import Refusals
from subsessiond.adapters.runners.saying import Said
from subsessiond.core.words import ask_blocked


class Talk:
    """Holds what is to be said.

    Args:
        mailbox: of the child.
        refusals: what it was refused.
        gone: the fault by which a runner knows that its agent cannot be spoken with.
    """

    def __init__(
        self, mailbox: Mailbox, refusals: Refusals, gone: Callable[[str], Exception]
    ) -> None:
        self._mailbox = mailbox
        self._refusals = refusals
        self._gone = gone
        self._queue: deque[Said] = deque()
        self._news = asyncio.Event()
        self._nudged = False
        self._knows_refusals = False
        """Whether it was told of refusals, and nobody else has spoken since."""
        self.over = False
        """Whether nothing is said any more."""

    def add(self, said: Said) -> None:
        """Have something said as a turn of its own."""
        self._queue.append(said)
        self._news.set()

    def nudge(self) -> None:
        """Look at the mail once the turn is over."""
        self._nudged = True
        self._news.set()

    def close(self) -> None:
        """Leave the rest unsaid."""
        self.over = True
        self._news.set()
        while self._queue:
            self._queue.popleft().settle(read=False)

    async def next(self, end_turn: Callable[[], None]) -> Said | None:
        """Give what begins the next turn, once there is something; none when it has settled.

        Args:
            end_turn: called once, where there is nothing to say yet.

        Raises:
            Exception: of the runner's kind - nothing can be said any more.
        """
        has_ended = False
        await self._mailbox.settle()
        while self._mailbox.is_live:
            if self.over:
                raise self._gone("nothing can be said any more")
            said = self._about_refusals() or self._queued() or await self._mail()
            if said is not None:
                return said
            if not has_ended:
                has_ended = True
                end_turn()
            self._news.clear()
            await self._news.wait()
        return None

    def _about_refusals(self) -> Said | None:
        refused = self._refusals.take()
        if not refused or self._knows_refusals:
            return None
        self._knows_refusals = True
        return Said(ask_blocked(tuple((each.why, each.blocker) for each in refused)))

    def _queued(self) -> Said | None:
        while self._queue:
            said = self._queue.popleft()
            if said.message_id is None:
                return said
            if self._mailbox.is_staged(said.message_id):
                self._knows_refusals = False
                return said
            said.settle(read=False)  # it rode on the answer of a tool
        return None

    async def _mail(self) -> Said | None:
        if not self._nudged:
            return None
        self._nudged = False
        text = await self._mailbox.take()
        # Why looked at: it may have settled meanwhile, and its mail goes to whoever takes over.
        if not text or not self._mailbox.is_live:
            return None
        self._knows_refusals = False
        return Said(text, is_mail=True)
