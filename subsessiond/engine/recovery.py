"""After a start: end what an earlier life left running, and settle what it left open."""

import asyncio

import structlog

from subsessiond.engine.registry import Registry
from subsessiond.model.commands import Recover
from subsessiond.model.node import Node, Status
from subsessiond.model.process import Stopped
from subsessiond.ports import Clock, Processes

log = structlog.get_logger(__name__)

ENDING_AT_ONCE = 50
"""Children whose processes are ended at the same time; as many as may live by default."""


async def recover(registry: Registry, processes: Processes, clock: Clock) -> tuple[Node, ...]:
    """Recover every child that is not released. Doing it twice changes nothing more.

    Returns:
        The children that were looked at, as they were found.
    """
    nodes = unreleased(registry)
    room = asyncio.Semaphore(ENDING_AT_ONCE)
    stops = await asyncio.gather(*(_end(node, processes, room) for node in nodes))
    commands = tuple(
        Recover(
            node=node.node_id,
            forced=stopped.forced,
            leftovers=stopped.leftovers,
            at_ms=clock.wall_ms(),
            awake_ms=clock.awake_ms(),
        )
        for node, stopped in zip(nodes, stops, strict=True)
    )
    # Why together: they are queued in this order, and share commits.
    await asyncio.gather(
        *(registry.ask(command) for command in (*commands, *_roots(registry, clock)))
    )
    return nodes


def _roots(registry: Registry, clock: Clock) -> tuple[Recover, ...]:
    """Recover the roots that have mail: what they were handed may never have come to them."""
    tree, now, awake = registry.tree, clock.wall_ms(), clock.awake_ms()
    found = (node for node in sorted(tree.mail) if node in tree.roots)
    return tuple(Recover(node=node, at_ms=now, awake_ms=awake) for node in found)


def unreleased(registry: Registry) -> tuple[Node, ...]:
    """List children that are not released, deepest first.

    Why: each is settled for the restart itself, not as the orphan of its parent. Ids are ordered
    by time, and a child is always younger than its parent.
    """
    nodes = registry.tree.nodes
    found = (nodes[key] for key in sorted(nodes, reverse=True))
    return tuple(n for n in found if not n.is_root and n.status is not Status.RELEASED)


async def _end(node: Node, processes: Processes, room: asyncio.Semaphore) -> Stopped:
    """End a child's processes: by proven identity, or by its name where none was recorded."""
    async with room:
        try:
            if node.identity is not None:
                return await processes.end(node.identity)
            return await processes.end_named(node.node_id)
        except Exception as error:  # what cannot be ended is a leftover, not the end of the start
            log.exception("ending what an earlier daemon left failed", node=node.node_id)
            return Stopped(leftovers=(f"ending it failed: {type(error).__name__}",))
