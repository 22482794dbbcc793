"""How an agent that stays for many turns comes up and ends, as the core is told of it."""

import asyncio
from collections.abc import Awaitable, Callable

from subsessiond.adapters.runners.agentprocess import DRAIN_S, AgentProcess
from subsessiond.adapters.runners.exits import Ending, ending_of_exit
from subsessiond.model.commands import ConfirmStart, EndChild, EndTurn, FailStart
from subsessiond.model.ids import NodeId
from subsessiond.model.process import Exit
from subsessiond.model.report import Outcome
from subsessiond.ports import Voice


class Telling:
    """Tells what becomes of one child.

    Args:
        node: whose.
        agent: its process.
        voice: hears it.
        diagnostic: makes the operator's text of our words.
    """

    def __init__(
        self, node: NodeId, agent: AgentProcess, voice: Voice, diagnostic: Callable[[str], str]
    ) -> None:
        self._node = node
        self._agent = agent
        self._voice = voice
        self._diagnostic = diagnostic
        self._is_up = False

    async def channel(self, closed: asyncio.Event) -> bool:
        """Wait until the agent has listed our tools; how long it may take is the core's to say.

        Args:
            closed: set once nothing can be said to it any more.

        Returns:
            Whether it is still there.
        """
        seen = asyncio.ensure_future(self._voice.channel_seen(self._node))
        lost = asyncio.ensure_future(closed.wait())
        both = (seen, lost)
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in both:
                task.cancel()
            await asyncio.wait(both)
        return not lost.done() or lost.cancelled()

    async def see_out(
        self,
        listening: "asyncio.Future[Exit | None]",
        talking: "asyncio.Future[bool]",
        lose: Callable[[], Awaitable[None]],
        in_turn: Callable[[], bool],
    ) -> None:
        """Wait until the talk is over or the agent has gone, and tell of the latter.

        Args:
            listening: hears the agent to its end.
            talking: tells whether the agent was lost over it.
            lose: lets nobody wait for the agent any more.
            in_turn: whether the agent went in the middle of a turn.
        """
        await asyncio.wait((listening, talking), return_when=asyncio.FIRST_COMPLETED)
        if talking.done() and not talking.result():
            return
        # Why a while: an agent that does not listen any more is mostly about to go.
        await asyncio.wait((listening,), timeout=DRAIN_S)
        # Why both: a stop that comes first has put an end to the listening.
        heard = listening.done() and not listening.cancelled()
        ended = listening.result() if heard else None
        await lose()
        await asyncio.wait((talking,))
        if talking.result():
            await self.end(ending_of_exit(ended, in_turn=in_turn()))

    async def confirm(self) -> None:
        """Tell that it is up."""
        await self._voice.ask(ConfirmStart(node=self._node, **self._voice.now()))
        self._is_up = True

    def end_turn(self, last_words: str) -> None:
        """Tell that a turn is over, and nothing more is to be said."""
        diagnostic = self._diagnostic(f"its last words: {last_words.strip()}")
        now = self._voice.now()
        self._voice.tell(EndTurn(node=self._node, diagnostic=diagnostic, **now))

    async def end(self, ending: Ending) -> None:
        """Tell that its run is over, or that it did not come up."""
        if not self._is_up:
            await self.fail(f"{ending.said} before it was up")
            return
        now = self._voice.now()
        await self._voice.tell_made(
            lambda: EndChild(
                node=self._node,
                outcome=Outcome.FAILED,
                stop_reason=ending.stop_reason,
                reason=ending.reason,
                produced_bytes=self._agent.produced_bytes,
                diagnostic=self._diagnostic(ending.said),
                promotes=ending.promotes,
                **now,
            ),
        )

    async def fail(self, why: str, said: str = "") -> None:
        """Tell that it did not come up.

        Args:
            why: in our words, for the parent too.
            said: the agent's own words, for the operator alone.
        """
        words = f"{why}\n{said}" if said else why
        now = self._voice.now()
        await self._voice.tell_made(
            lambda: FailStart(node=self._node, why=why, diagnostic=self._diagnostic(words), **now),
        )
