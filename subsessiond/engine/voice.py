"""How a runner speaks back: its outcome is again a command."""

import asyncio
from collections.abc import Callable, Sequence

from subsessiond.core.scrub import Scrubber, scrubbed
from subsessiond.engine.channels import Channels
from subsessiond.engine.registry import Answer, Registry
from subsessiond.model.commands import ClientCommand, Command
from subsessiond.model.events import AnyEvent
from subsessiond.model.ids import MessageId, NodeId
from subsessiond.model.ledger import Part
from subsessiond.model.policy import Policy
from subsessiond.model.tree import Tree
from subsessiond.ports import Clock, IdSource, Stamps

Show = Callable[[NodeId, int, Sequence[Part]], None]


def _uncounted(_reader: NodeId, _size: int, _parts: Sequence[Part]) -> None:
    """Nobody counts."""


NO_VALUES = Scrubber()
"""Knows the shapes of secrets, and no value."""


class EngineVoice:
    """The door that runners have into the registry."""

    def __init__(
        self,
        registry: Registry,
        clock: Clock,
        ids: IdSource,
        channels: Channels,
        scrubber: Scrubber = NO_VALUES,
        show: Show = _uncounted,
    ) -> None:
        self.scrubber = scrubber
        """Takes secrets out of what is said of the outside."""
        self._show = show
        self._registry = registry
        self._clock = clock
        self._ids = ids
        self._channels = channels
        self._making = asyncio.Lock()

    def now(self) -> Stamps:
        """The stamps of a command."""
        return {"at_ms": self._clock.wall_ms(), "awake_ms": self._clock.awake_ms()}

    def tell(self, command: Command) -> None:
        """Say what happened."""
        self._registry.tell(scrubbed(command, self.scrubber))

    async def tell_made(self, make: Callable[[], Command]) -> None:
        """Say what takes long to be put into words, and is scrubbed for as long.

        Why one at a time: the loop runs beside one thread, and not beside as many as there are.
        """
        async with self._making:
            command = await asyncio.to_thread(lambda: scrubbed(make(), self.scrubber))
        self._registry.tell(command)

    async def ask(self, command: Command) -> Answer:
        """Say what happened, and wait until it is durable."""
        return await self._registry.ask(scrubbed(command, self.scrubber))

    async def submit(self, command: ClientCommand) -> Answer:
        """Ask for something on behalf of the child, as any client would."""
        return await self._registry.submit(command)

    @property
    def tree(self) -> Tree:
        """The published tree."""
        return self._registry.tree

    async def until(self, holds: Callable[[Tree], bool]) -> None:
        """Return once something holds of the published tree, looked at with each publication."""
        came = asyncio.Event()

        def look(_events: tuple[AnyEvent, ...], tree: Tree) -> None:
            if holds(tree):
                came.set()

        unlisten = self._registry.listen(look)
        try:
            look((), self._registry.tree)
            await came.wait()
        finally:
            unlisten()

    def take(self, message_id: MessageId) -> bool:
        """Take a message to hand it over; false where another way has it."""
        return self._registry.handed.take(message_id)

    def show(self, reader: NodeId, size: int, parts: Sequence[Part]) -> None:
        """Count what a parent is prompted with, and what in it comes of which child."""
        self._show(reader, size, parts)

    @property
    def policy(self) -> Policy:
        """The policy in force."""
        return self._registry.policy

    def has_channel(self, node_id: NodeId) -> bool:
        """Tell whether the child's agent has listed our tools."""
        return self._channels.seen(node_id)

    async def channel_seen(self, node_id: NodeId) -> None:
        """Return when the child's agent has listed our tools; the caller sets the bound."""
        await self._channels.wait(node_id)
