"""Through which channels our tools were seen: the launch probe's memory.

An agent that has not listed our tools cannot report through them, whatever its profile promises.
"""

import asyncio

from subsessiond.model.events import AnyEvent, NodeReleased
from subsessiond.model.ids import NodeId
from subsessiond.model.tree import Tree


class Channels:
    """Which nodes have listed our tools, from their start to their release."""

    def __init__(self) -> None:
        self._seen: dict[NodeId, asyncio.Event] = {}

    def note(self, node_id: NodeId) -> None:
        """Know that a node's agent has listed our tools."""
        self._event(node_id).set()

    def seen(self, node_id: NodeId) -> bool:
        """Tell whether a node's agent has listed our tools."""
        event = self._seen.get(node_id)
        return event is not None and event.is_set()

    async def wait(self, node_id: NodeId) -> None:
        """Return when a node's agent has listed our tools; whoever waits sets the bound."""
        await self._event(node_id).wait()

    def forget(self, node_id: NodeId) -> None:
        """Let go of a node that is over; who still waits for it waits on."""
        self._seen.pop(node_id, None)

    def on_events(self, events: tuple[AnyEvent, ...], _tree: Tree) -> None:
        """Forget the nodes that are released."""
        for event in events:
            if isinstance(event, NodeReleased):
                self.forget(event.node)

    def _event(self, node_id: NodeId) -> asyncio.Event:
        return self._seen.setdefault(node_id, asyncio.Event())
