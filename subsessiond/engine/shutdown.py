"""How the daemon ends: every child settled with a reason, nothing left for the next start."""

import asyncio

from subsessiond.engine.executor import Executor
from subsessiond.engine.recovery import unreleased
from subsessiond.engine.registry import Registry
from subsessiond.model.commands import EndChild
from subsessiond.model.events import AnyEvent
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
    """Settle and stop every child; returns whether all were gone within the limit."""
    done = asyncio.Event()

    def look(_events: tuple[AnyEvent, ...], _tree: Tree) -> None:
        if not _waits_for(registry):
            done.set()

    forget = registry.listen(look)
    try:
        executor.hurry()
        for node in unreleased(registry):
            if node.is_live:
                registry.tell(
                    EndChild(
                        node=node.node_id,
                        outcome=Outcome.FAILED,
                        stop_reason=StopReason.ABORTED,
                        reason=REASON,
                        at_ms=clock.wall_ms(),
                        awake_ms=clock.awake_ms(),
                    ),
                )
        if not _waits_for(registry):
            return True
        async with asyncio.timeout(limit_s):
            await done.wait()
    except TimeoutError:
        return False
    finally:
        forget()
    return True


def _waits_for(registry: Registry) -> bool:
    """Whether any child may still have a process that is being stopped."""
    return any(not node.leftovers for node in unreleased(registry))
