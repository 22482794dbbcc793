"""The turns of one session: what is said when, and what is made of a turn's end.

Nothing is said into a running turn, unless the agent is known to take it in: others cancel the turn
over it. So what comes waits, in order, for the end of the turn.
"""

import asyncio
from collections.abc import Callable
from typing import Any, NamedTuple

from subsessiond.adapters.runners.acp.connection import (
    AnsweredError,
    Connection,
    ConnectionLost,
)
from subsessiond.adapters.runners.acp.ending import ending_of_turn
from subsessiond.adapters.runners.acp.metering import Metering
from subsessiond.adapters.runners.acp.toolcalls import ToolCalls
from subsessiond.adapters.runners.exits import Ending
from subsessiond.adapters.runners.mailbox import Mailbox
from subsessiond.adapters.runners.refusals import Refusals
from subsessiond.adapters.runners.saying import Said
from subsessiond.adapters.runners.signs import Signs
from subsessiond.adapters.runners.talk import Talk
from subsessiond.model.node import Phase


class Memory(NamedTuple):
    """What is remembered of one child while it runs."""

    mailbox: Mailbox
    calls: ToolCalls
    signs: Signs
    refusals: Refusals
    metering: Metering


Answer = asyncio.Task[Any]


class Turns:
    """Plays turns until the child has settled.

    Args:
        connection: to the agent.
        memory: of the child.
        end_turn: tells that a turn ended and nothing more is to be said.
        merges: whether the agent takes in what is said in a running turn.
    """

    def __init__(
        self,
        connection: Connection,
        memory: Memory,
        end_turn: Callable[[], None],
        *,
        merges: bool,
    ) -> None:
        self._connection = connection
        self._memory = memory
        self._end_turn = end_turn
        self._merges = merges
        self._session = ""
        self._talk = Talk(memory.mailbox, memory.refusals, ConnectionLost)
        self._answers: list[tuple[Said, Answer]] = []
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def in_turn(self) -> bool:
        """Whether a turn runs."""
        return not self._idle.is_set()

    async def live(self, session: str, opening: str) -> Ending | None:
        """Play the first turn and all that follow.

        Returns:
            How a turn ended the run; none where the child has settled by its own word or another's.

        Raises:
            ConnectionLost: the agent went, or does not listen any more.
        """
        self._session = session
        said: Said | None = Said(opening)
        while said is not None:
            ending = await self._play(said)
            if ending is not None and self._memory.mailbox.is_live:
                return ending
            said = await self._talk.next(self._end_turn)
        return None

    async def say(self, said: Said) -> bool:
        """Say something at the end of the turn, or at once where the agent takes it in.

        Returns:
            Whether it was said into a turn.
        """
        takes_in = self._merges and said.message_id is not None
        if takes_in:
            await self._memory.mailbox.settle()
        if self._talk.over:
            return False
        if takes_in and self.in_turn:
            self._ask(said)
        else:
            self._talk.add(said)
        return await said.read

    def nudge(self) -> None:
        """Look at the mail once the turn is over."""
        self._talk.nudge()

    async def cancel(self) -> None:
        """Ask for the end of the turn and wait for it.

        Raises:
            ConnectionLost: there is nobody to ask.
        """
        if self.in_turn:
            await self._connection.notify("session/cancel", {"sessionId": self._session})
            await self._idle.wait()

    def close(self) -> None:
        """Leave the rest unsaid, and begin no turn any more."""
        self._talk.close()

    async def _play(self, said: Said) -> Ending | None:
        self._idle.clear()
        self._memory.signs.note("prompt", Phase.WORKING)
        try:
            self._ask(said)
            # Why again and again: more may have been said into the turn meanwhile.
            while waiting := [answer for _, answer in self._answers if not answer.done()]:
                await asyncio.wait(waiting)
            return self._judge()
        finally:
            await self._end_play()

    async def _end_play(self) -> None:
        answers, self._answers = self._answers, []
        for said, answer in answers:
            answer.cancel()
            said.settle(read=False)
        if answers:
            await asyncio.wait([answer for _, answer in answers])
        self._memory.calls.end_all()
        # Why now: a sign that is told later would say that a child works which waits.
        self._memory.signs.close()
        self._idle.set()

    def _ask(self, said: Said) -> None:
        if said.message_id is not None and not self._memory.mailbox.take_one(said.message_id):
            said.settle(read=False)  # it rode on the answer of a tool
            return
        self._answers.append((said, asyncio.ensure_future(self._prompt(said))))

    async def _prompt(self, said: Said) -> Any:
        prompt = [{"type": "text", "text": said.text}]
        params = {"sessionId": self._session, "prompt": prompt}
        future = await self._connection.send("session/prompt", params)
        if said.message_id is not None:
            self._memory.mailbox.note_read(said.message_id)
        said.settle(read=True)
        return await future

    def _judge(self) -> Ending | None:
        """Judge a turn by the last answer that is none of an error; by the first error else."""
        outcomes = [(said, _outcome(answer)) for said, answer in self._answers]
        good = [found for _, found in outcomes if not isinstance(found, AnsweredError)]
        self._memory.metering.take(good)
        if not good:
            return ending_of_turn(outcomes[0][1]) if outcomes else None
        for said, found in outcomes:
            if isinstance(found, AnsweredError):
                self._say_again(said)
        ending = ending_of_turn(good[-1])
        if ending is None:
            # Why only now: of a turn that died nobody knows what its model has read.
            self._memory.mailbox.note_heard()
        return ending

    def _say_again(self, said: Said) -> None:
        """Say what was not taken in after all."""
        if said.is_mail:
            self._memory.mailbox.note_unheard()
            self._talk.nudge()
        else:
            self._talk.add(Said(said.text))


def _outcome(answer: Answer) -> Any:
    """Give an answer, or the error it is.

    Raises:
        ConnectionLost: there is none, and will be none.
    """
    error = answer.exception()
    if error is None:
        return answer.result()
    if isinstance(error, AnsweredError):
        return error
    raise error
