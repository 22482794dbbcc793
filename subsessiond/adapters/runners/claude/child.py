"""One child that Claude Code works for, from the start of its process to its end."""

import asyncio
from typing import Any

from subsessiond.adapters.runners.agentprocess import AgentProcess, Host
from subsessiond.adapters.runners.claude.answers import HOOKS, Answers
from subsessiond.adapters.runners.claude.control import AgentGone, AnsweredError, Control
from subsessiond.adapters.runners.claude.metering import Metering
from subsessiond.adapters.runners.claude.permissions import Permissions
from subsessiond.adapters.runners.claude.reading import read_line
from subsessiond.adapters.runners.claude.turns import Memory, Turns
from subsessiond.adapters.runners.frames import Frames
from subsessiond.adapters.runners.mailbox import Mailbox
from subsessiond.adapters.runners.refusals import Refusals
from subsessiond.adapters.runners.saying import Said
from subsessiond.adapters.runners.signs import Signs
from subsessiond.adapters.runners.telling import Telling
from subsessiond.model.node import Node
from subsessiond.model.process import Exit, Stopped
from subsessiond.model.role import Channel, Probe
from subsessiond.ports import ChildOrder, Voice


class NotReady(Exception):
    """It did not become ready; says why, in our words.

    Args:
        why: for the parent too.
        said: the agent's own words, for the operator alone.
    """

    def __init__(self, why: str, said: str = "") -> None:
        super().__init__(why)
        self.why = why
        self.said = said


class ClaudeChild:
    """One child under way.

    Args:
        host: what the daemon gives to agents.
        order: the child.
        voice: hears what becomes of it.
    """

    def __init__(self, host: Host, order: ChildOrder, voice: Voice) -> None:
        self._order = order
        self._voice = voice
        self._node_id = order.node.node_id
        self._agent = AgentProcess(host, order, voice)
        self._frames = Frames()
        self._memory = Memory(
            mailbox=Mailbox(voice, self._node_id),
            signs=Signs(voice, self._node_id),
            refusals=Refusals(),
            metering=Metering(voice, self._node_id),
        )
        permissions = Permissions(order.profile, self._memory.refusals)
        self._control = Control(self._agent.write, Answers(self._node, permissions).answer)
        self._turns = Turns(self._control, self._memory, self._end_turn)
        self._telling = Telling(self._node_id, self._agent, voice, self._diagnostic)
        self._listening: asyncio.Future[Exit | None] | None = None
        self._left_in_turn = False

    async def run(self) -> None:
        """Start the agent, work with it, and say how it ended.

        Its output is read on until `stop`, though the child has settled: its input stays open as
        long, and what it asks is answered.
        """
        if not await self._agent.start():
            return
        self._listening = listening = asyncio.ensure_future(self._listen())
        talking = asyncio.ensure_future(self._talk())
        try:
            await self._telling.see_out(listening, talking, self._lose, lambda: self._left_in_turn)
        finally:
            self._turns.close()
            talking.cancel()
            await asyncio.wait((talking,))

    async def prompt(self, message_id: str | None, text: str) -> bool:
        """Say something to the agent; tells whether its model was shown it."""
        return await self._turns.say(Said(text, message_id))

    def wake(self) -> None:
        """Mail waits."""
        self._turns.nudge()

    async def stop(self, *, hurry: bool = False) -> Stopped:
        """Interrupt the turn, end the input, then end the agent and everything it started."""
        self._turns.close()
        stopped = await self._agent.stop(self._turns.cancel, hurry=hurry)
        await self._lose()
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.wait((self._listening,))
        return stopped

    def _node(self) -> Node:
        return self._memory.mailbox.node or self._order.node

    async def _lose(self) -> None:
        """Let nobody wait for the agent any more."""
        self._turns.close()
        await self._control.close()
        self._turns.lose()

    async def _listen(self) -> Exit | None:
        """Hear the agent to its end; then nobody has to wait for it any more."""
        try:
            return await self._agent.listen(self._hear)
        finally:
            # Why first: whoever waits for an answer ends its turn over it.
            self._left_in_turn = self._turns.in_turn
            await self._control.close()
            self._turns.lose()

    async def _hear(self, line: bytes) -> None:
        frame = self._frames.read(line)
        if frame is not None and not await self._control.take(frame):
            self._turns.hear(read_line(frame))

    async def _talk(self) -> bool:
        """Come up and play the turns; tells whether the agent was lost over it."""
        try:
            await self._begin()
            ending = await self._turns.live(self._order.opening)
        except NotReady as fault:
            await self._telling.fail(fault.why, fault.said)
            return False
        except AgentGone:
            return True
        if ending is not None:
            await self._telling.end(ending)
        return False

    async def _begin(self) -> None:
        """Come up: it asks us before it uses a tool, and has ours where it has to have them."""
        try:
            able = await self._control.request("initialize", hooks=HOOKS)
        except AnsweredError as error:
            raise NotReady("it answered initialize with an error", str(error)) from error
        _check(able)
        profile = self._order.profile
        if profile.channel is Channel.MCP and profile.probe is Probe.BEFORE_TURN:
            await self._channel()
        await self._telling.confirm()

    async def _channel(self) -> None:
        """Wait until the agent has listed our tools.

        Raises:
            AgentGone: it went before.
        """
        if not await self._telling.channel(self._control.closed):
            raise AgentGone("the agent went before it listed our tools")

    def _end_turn(self) -> None:
        self._telling.end_turn(self._turns.last_words)

    def _diagnostic(self, words: str) -> str:
        return self._agent.diagnostic(words, self._frames.sample())


def _check(able: dict[str, Any]) -> None:
    """Refuse an agent that says it will not ask us.

    Raises:
        NotReady: what it writes could not be held.
    """
    if able.get("hooks_applied") is False:
        raise NotReady("it does not ask before it uses a tool")
