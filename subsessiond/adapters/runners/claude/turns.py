"""The turns of one session: what is said when, and what is made of a turn's end.

What is said to the child while a turn runs goes into it: its model is shown it with the next step.
Where no step follows, the agent begins another turn with it by itself. So a turn is over when the
agent says so, and nothing that it was told waits to be shown.
"""

import asyncio
import uuid
from collections.abc import Callable
from typing import Final, NamedTuple

from subsessiond.adapters.runners.claude.control import AgentGone, Control
from subsessiond.adapters.runners.claude.ending import ending_of_turn
from subsessiond.adapters.runners.claude.metering import Metering
from subsessiond.adapters.runners.claude.reading import Told, TurnEnd
from subsessiond.adapters.runners.exits import Ending
from subsessiond.adapters.runners.mailbox import Mailbox
from subsessiond.adapters.runners.refusals import Refusals
from subsessiond.adapters.runners.saying import Said
from subsessiond.adapters.runners.signs import Signs
from subsessiond.adapters.runners.talk import Talk
from subsessiond.model.node import Phase

CALLS_MOST: Final = 1_000
"""Tool calls that are open at once and told apart; more are one call that never ends."""


class Memory(NamedTuple):
    """What is remembered of one child while it runs."""

    mailbox: Mailbox
    signs: Signs
    refusals: Refusals
    metering: Metering


class Turns:
    """Plays turns until the child has settled.

    Args:
        control: to the agent.
        memory: of the child.
        end_turn: tells that a turn ended and nothing more is to be said.
    """

    def __init__(self, control: Control, memory: Memory, end_turn: Callable[[], None]) -> None:
        self._control = control
        self._memory = memory
        self._end_turn = end_turn
        self._talk = Talk(memory.mailbox, memory.refusals, AgentGone)
        self._idle = asyncio.Event()
        self._idle.set()
        self._ends: asyncio.Queue[TurnEnd | None] = asyncio.Queue()
        """Ends of turns; none where the agent has gone."""
        self._sent: dict[str, Said] = {}
        """What the agent was told, and has not shown to its model yet."""
        self._tells = False
        """Whether it ever told what it shows; one that does not shows all before its turn ends."""
        self._calls: set[str] = set()
        self._follows = False
        """A turn is over, and the agent is about to begin another with what it was told."""
        self._ends_here = False
        """A turn ended in a way after which there is no other: what was not read by then is not."""
        self._moved = asyncio.Event()
        """Set whenever a turn may have begun or ended."""
        self.last_words = ""
        """What its model said last, for the operator."""

    @property
    def in_turn(self) -> bool:
        """Whether a turn runs."""
        return not self._idle.is_set()

    async def live(self, opening: str) -> Ending | None:
        """Play the first turn and all that follow.

        Returns:
            How a turn ended the run; none where the child has settled by its own word or another's.

        Raises:
            AgentGone: the agent went, or does not listen any more.
        """
        said: Said | None = Said(opening)
        while said is not None:
            ending = await self._play(said)
            if ending is not None and self._memory.mailbox.is_live:
                return ending
            said = await self._talk.next(self._end_turn)
        return None

    async def say(self, said: Said) -> bool:
        """Say something into the running turn or, where none runs, as a turn of its own.

        Returns:
            Whether its model was shown it.
        """
        if said.message_id is not None:
            await self._memory.mailbox.settle()
        if self._talk.over:
            return False
        if self.in_turn and said.message_id is not None:
            await self._send_late(said)
        else:
            self._talk.add(said)
        return await said.read

    def nudge(self) -> None:
        """Look at the mail once the turn is over."""
        self._talk.nudge()

    def hear(self, told: Told) -> None:
        """Take in what a line tells."""
        self._memory.metering.take(told)
        for name in told.taken:
            self._tells = True
            self._note_taken(name)
        for name in told.dropped:
            self._note_dropped(name)
        if not self.in_turn:
            # Why: a node that waits stands still, whatever its agent still tells; and a turn that
            # the agent began by itself, over a command in the background, ends none of ours.
            return
        if told.end is not None:
            self._ends.put_nowait(told.end)
            # Why here: the lines of another turn, that nobody will wait for, may follow at once.
            self._ends_here = self._ends_here or ending_of_turn(told.end) is not None
        self._calls.difference_update(told.ended)
        if len(self._calls) < CALLS_MOST:
            self._calls.update(told.began)
        if told.sign:
            self._memory.signs.note(told.sign, self._phase(told))

    async def cancel(self) -> None:
        """Ask for the end of the turn and of all that would follow it, and wait for it.

        Raises:
            AgentGone: there is nobody to ask.
        """
        while self.in_turn:
            self._moved.clear()
            await self._control.interrupt()
            # Why again and again: one that has not begun yet is not ended, and the agent begins
            # the next one by itself.
            await self._moved.wait()

    def close(self) -> None:
        """Leave the rest unsaid, and begin no turn any more."""
        self._talk.close()

    def lose(self) -> None:
        """Let the running turn end: the agent has gone."""
        self._ends.put_nowait(None)

    def _phase(self, told: Told) -> Phase:
        if told.waits:
            return Phase.RATE_LIMITED
        return Phase.IN_TOOL if self._calls else Phase.WORKING

    async def _play(self, said: Said) -> Ending | None:
        self._idle.clear()
        self._memory.signs.note("prompt", Phase.WORKING)
        try:
            if not await self._send(said):
                return None
            while True:
                ending = self._judge(said, await self._turn_end())
                if ending is not None or not self._sent:
                    return ending
                self._follows = True
                self._moved.set()
        finally:
            self._end_play()

    async def _turn_end(self) -> TurnEnd:
        end = await self._ends.get()
        if end is None:
            raise AgentGone("the agent is gone")
        return end

    def _end_play(self) -> None:
        for said in self._sent.values():
            said.settle(read=False)
        self._sent.clear()
        self._calls.clear()
        self._follows = False
        # Why now: a sign that is told later would say that a child works which waits.
        self._memory.signs.close()
        self._idle.set()
        self._moved.set()

    async def _send(self, said: Said) -> bool:
        """Say something; tells whether it was, for it may have ridden on the answer of a tool."""
        if said.message_id is not None and not self._memory.mailbox.take_one(said.message_id):
            said.settle(read=False)
            return False
        name = str(uuid.uuid4())
        self._sent[name] = said  # before it is written: what becomes of it may be told at once
        await self._control.say(name, said.text)
        return True

    async def _send_late(self, said: Said) -> None:
        try:
            await self._send(said)
        except AgentGone:
            said.settle(read=False)

    def _note_taken(self, name: str) -> None:
        """Note that the model is shown something: from now on it counts as read."""
        said = self._sent.pop(name, None) if not self._ends_here else None
        if said is None:
            return
        self._follows = False
        self._moved.set()
        if said.message_id is not None:
            self._memory.mailbox.note_read(said.message_id)
        said.settle(read=True)

    def _note_dropped(self, name: str) -> None:
        """Note that the agent will not show something to its model after all."""
        said = self._sent.pop(name, None)
        if said is None:
            return
        said.settle(read=False)
        if self._follows and not self._sent:
            self._ends.put_nowait(TurnEnd())  # for the turn that was to follow there will be none

    def _judge(self, said: Said, end: TurnEnd) -> Ending | None:
        self.last_words = end.words
        if not self._tells:
            for name in tuple(self._sent):
                self._note_taken(name)
        ending = ending_of_turn(end)
        if ending is None and not end.is_error:
            # Why only now: of a turn that died nobody knows what its model has read.
            self._memory.mailbox.note_heard()
        elif said.is_mail:
            self._memory.mailbox.note_unheard()
            self._talk.nudge()
        return ending
