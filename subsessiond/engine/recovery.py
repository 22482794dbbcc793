"""After a start: end what an earlier life left running, and settle what it left open."""

import asyncio

from subsessiond.engine.registry import Registry
from subsessiond.model.commands import Recover
from subsessiond.model.node import Node, Status
from subsessiond.model.process import Stopped
from subsessiond.ports import Clock, Processes


async def recover(registry: Registry, processes: Processes, clock: Clock) -> int:
    """Recover every child that is not released. Doing it twice changes nothing more.

    Returns:
        How many children were looked at.
    """
    nodes = unreleased(registry)
    stops = await asyncio.gather(*(_end(node, processes) for node in nodes))
    for node, stopped in zip(nodes, stops, strict=True):
        await registry.ask(
            Recover(
                node=node.node_id,
                forced=stopped.forced,
                leftovers=stopped.leftovers,
                at_ms=clock.wall_ms(),
                awake_ms=clock.awake_ms(),
            ),
        )
    return len(nodes)


def unreleased(registry: Registry) -> tuple[Node, ...]:
    """List children that are not released, deepest first.

    Why: each is settled for the restart itself, not as the orphan of its parent. Ids are ordered
    by time, and a child is always younger than its parent.
    """
    nodes = registry.tree.nodes
    found = (nodes[key] for key in sorted(nodes, reverse=True))
    return tuple(n for n in found if not n.is_root and n.status is not Status.RELEASED)


async def _end(node: Node, processes: Processes) -> Stopped:
    """End a child's processes: by proven identity, or by its name where none was recorded."""
    if node.identity is not None:
        return await processes.end(node.identity)
    return await processes.end_named(node.node_id)
