"""One child that an ACP agent works for, from the start of its process to its end."""

import asyncio
from typing import Any

from subsessiond.adapters.runners.acp.answers import Answers
from subsessiond.adapters.runners.acp.connection import Connection, ConnectionLost
from subsessiond.adapters.runners.acp.files import Files
from subsessiond.adapters.runners.acp.handshake import (
    NoSession,
    open_session,
    servers_by_http,
    servers_of,
    takes_server,
)
from subsessiond.adapters.runners.acp.metering import Metering
from subsessiond.adapters.runners.acp.permissions import Permissions
from subsessiond.adapters.runners.acp.toolcalls import ToolCalls
from subsessiond.adapters.runners.acp.turns import Memory, Turns
from subsessiond.adapters.runners.acp.updates import Updates
from subsessiond.adapters.runners.agentprocess import AgentProcess, Host
from subsessiond.adapters.runners.frames import Frames
from subsessiond.adapters.runners.mailbox import Mailbox
from subsessiond.adapters.runners.refusals import Refusals
from subsessiond.adapters.runners.saying import Said
from subsessiond.adapters.runners.signs import Signs
from subsessiond.adapters.runners.telling import Telling
from subsessiond.model.node import Node
from subsessiond.model.process import Exit, Stopped
from subsessiond.model.role import Channel, McpBy, Probe
from subsessiond.ports import ChildOrder, RunnerFault, Voice


class AcpChild:
    """One child under way.

    Args:
        host: what the daemon gives to agents.
        order: the child.
        voice: hears what becomes of it.
    """

    def __init__(self, host: Host, order: ChildOrder, voice: Voice) -> None:
        self._host = host
        self._order = order
        self._voice = voice
        self._node_id = order.node.node_id
        self._agent = AgentProcess(host, order, voice)
        self._frames = Frames()
        self._memory = self._remember()
        self._updates = Updates(self._memory.calls, self._memory.signs)
        self._answers = self._answering()
        self._connection = Connection(self._agent.write, self._answers)
        self._turns = Turns(
            self._connection,
            self._memory,
            self._end_turn,
            merges=order.profile.merges_prompts,
        )
        self._telling = Telling(self._node_id, self._agent, voice, self._diagnostic)
        self._listening: asyncio.Future[Exit | None] | None = None
        self._left_in_turn = False

    async def run(self) -> None:
        """Start the agent, work with it, and say how it ended.

        Its output is read on until `stop`, though the child has settled: an agent that is asked to
        leave may have to say something first.
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
        """Say something to the agent; tells whether it was said into a turn."""
        return await self._turns.say(Said(text, message_id))

    def wake(self) -> None:
        """Mail waits."""
        self._turns.nudge()

    async def stop(self, *, hurry: bool = False) -> Stopped:
        """Cancel the turn, end the input, then end the agent and everything it started."""
        self._turns.close()
        stopped = await self._agent.stop(self._turns.cancel, hurry=hurry)
        await self._connection.close()
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.wait((self._listening,))
        return stopped

    async def _lose(self) -> None:
        """Let nobody wait for the agent any more."""
        await self._connection.close()
        self._turns.close()

    def _remember(self) -> Memory:
        return Memory(
            mailbox=Mailbox(self._voice, self._node_id),
            calls=ToolCalls(),
            signs=Signs(self._voice, self._node_id),
            refusals=Refusals(),
            metering=Metering(self._voice, self._node_id, self._order.profile.usage_of),
        )

    def _answering(self) -> Answers:
        memory = self._memory
        permissions = Permissions(self._order.profile, memory.calls, memory.refusals)
        parts = (permissions, Files(memory.refusals), self._updates)
        return Answers(self._node, lambda: self._turns.in_turn, parts)

    def _node(self) -> Node:
        return self._memory.mailbox.node or self._order.node

    async def _listen(self) -> Exit | None:
        """Hear the agent to its end; then nobody has to wait for it any more."""
        try:
            return await self._agent.listen(self._hear)
        finally:
            # Why first: whoever waits for an answer ends its turn over it.
            self._left_in_turn = self._turns.in_turn
            await self._connection.close()

    async def _hear(self, line: bytes) -> None:
        frame = self._frames.read(line)
        if frame is not None:
            await self._connection.take(frame)

    async def _talk(self) -> bool:
        """Open the session and play its turns; tells whether the agent was lost over it."""
        try:
            ending = await self._turns.live(await self._begin(), self._order.opening)
        except NoSession as fault:
            await self._telling.fail(fault.why, fault.said)
            return False
        except ConnectionLost:
            return True
        if ending is not None:
            await self._telling.end(ending)
        return False

    async def _begin(self) -> str:
        """Come up: a session is open, and the agent has our tools where it has to have them."""
        profile = self._order.profile
        servers = await self._servers()
        session = await open_session(self._connection, self._order.node, profile, servers)
        self._answers.session = session
        if profile.channel is Channel.MCP and profile.probe is Probe.BEFORE_TURN:
            await self._channel()
        await self._telling.confirm()
        return session

    async def _servers(self) -> list[dict[str, Any]]:
        """Give the agent's MCP servers; a port is opened for the first that takes one by HTTP."""
        profile = self._order.profile
        if profile.mcp_by is not McpBy.HTTP or not takes_server(profile):
            return servers_of(self._order.node, profile, self._host.shim)
        try:
            address = await self._host.mcp_address()
        except RunnerFault as fault:
            raise NoSession(str(fault)) from fault
        return servers_by_http(profile, address, self._order.token)

    async def _channel(self) -> None:
        """Wait until the agent has listed our tools.

        Raises:
            ConnectionLost: it went before.
        """
        if not await self._telling.channel(self._connection.closed):
            raise ConnectionLost("the agent went before it listed our tools")

    def _end_turn(self) -> None:
        self._telling.end_turn(self._updates.last_words)

    def _diagnostic(self, words: str) -> str:
        lost = self._connection.unmatched
        more = f"\nanswers to nothing that was asked: {lost}" if lost else ""
        return self._agent.diagnostic(f"{words}{more}", self._frames.sample())
