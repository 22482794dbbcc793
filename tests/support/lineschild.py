"""Children of the `jsonl` runner for tests: made, played to their end, looked at."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from subsessiond.adapters.runners.jsonl.child import LinesChild
from subsessiond.adapters.runners.jsonl.runner import LinesRunner
from subsessiond.model.node import Node, Settlement
from tests.support.headless import profile, prompt
from tests.support.stage import Stage

Make = Callable[..., Awaitable[LinesChild]]


def maker(here: Stage, runner: LinesRunner) -> Make:
    """Give what makes a child of steps; `brief` is its brief's, further fields its profile's."""

    async def make_one(
        *steps: dict[str, Any], brief: dict[str, Any] | None = None, **fields: Any
    ) -> LinesChild:
        env = tuple(here.environment().items())
        order = await here.order(
            profile(**fields), env, role="worker", mission=prompt(*steps), **(brief or {})
        )
        return runner.start(order, here.voice)

    return make_one


def only_node(here: Stage) -> Node:
    """Give the one child there is."""
    (node,) = [n for n in here.registry.tree.nodes.values() if not n.is_root]
    return node


async def play(here: Stage, child: LinesChild) -> Settlement:
    """Let a child live to its end, and give what was settled."""
    async with asyncio.timeout(30):
        await child.run()
        await child.stop()
    await here.settled_queue()
    settlement = only_node(here).settlement
    assert settlement is not None
    return settlement
