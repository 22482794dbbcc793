"""How the daemon ends: every child settled with a reason, nothing left for the next start."""

import asyncio

from subsessiond.engine.executor import Executor
from subsessiond.engine.recovery import unreleased
from subsessiond.engine.registry import Registry
from subsessiond.model.commands import EndChild
from subsessiond.model.events import AnyEvent
from subsessiond.model.ids import NodeId
from subsessiond.model.node import StopReason
from subsessiond.model.report import Outcome
from subsessiond.model.tree import Tree
from subsessiond.ports import Clock

REASON = "daemon-stopped"


async def end_children(
    registry: Registry,
    executor: Executor,
    clock: Clock,
    limit_s: float,
) -> bool:
    """Settle and stop every child; returns whether all were gone within the limit.

    Children whose processes could not be proven gone are not waited for: they are on record.
    """
    ending = Ending(registry, clock)
    forget = registry.listen(ending.look)
    try:
        executor.hurry()
        ending.look((), registry.tree)
        async with asyncio.timeout(limit_s):
            await ending.done.wait()
    except TimeoutError:
        return False
    finally:
        forget()
    return True


class Ending:
    """Tells each live child once that it is over, also one whose admission was already queued."""

    def __init__(self, registry: Registry, clock: Clock) -> None:
        self._registry = registry
        self._clock = clock
        self._told: set[NodeId] = set()
        self.done = asyncio.Event()

    def look(self, _events: tuple[AnyEvent, ...], _tree: Tree) -> None:
        """Look at the published tree."""
        left = unreleased(self._registry)
        for node in left:
            if node.is_live and node.node_id not in self._told:
                self._told.add(node.node_id)
                self._registry.tell(self._end(node.node_id))
        if all(node.leftovers for node in left):
            self.done.set()

    def _end(self, node_id: NodeId) -> EndChild:
        return EndChild(
            node=node_id,
            outcome=Outcome.FAILED,
            stop_reason=StopReason.ABORTED,
            reason=REASON,
            at_ms=self._clock.wall_ms(),
            awake_ms=self._clock.awake_ms(),
        )
