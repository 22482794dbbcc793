"""Children that play scripts on a stage."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from subsessiond.adapters.runners.scripted import ScriptedChild, ScriptedRunner
from subsessiond.model.commands import (
    EndChild,
)
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node, StopReason
from subsessiond.model.report import Outcome
from subsessiond.rpc.schema import schema_fault
from tests.support.policies import ACTOR
from tests.support.stage import Stage

FINAL = {"stage": "final", "outcome": "completed", "output": "All done."}


async def make(
    here: Stage, *steps: dict[str, Any], role: str = "worker", **fields: Any
) -> ScriptedChild:
    """Make a child that plays these steps."""
    text = msgspec.json.encode({"steps": steps}).decode()
    order = await here.order(ACTOR, role=role, mission=text, **fields)
    return ScriptedRunner(here.ids, here.workspace, schema_fault).start(order, here.voice)


@asynccontextmanager
async def running(child: ScriptedChild) -> AsyncIterator["asyncio.Task[None]"]:
    """Let a child play for the length of a block."""
    task = asyncio.create_task(child.run())
    try:
        yield task
    finally:
        await child.stop()
        await asyncio.wait((task,))


async def until(here: Stage, condition: Callable[[], Any], limit_s: float = 10) -> None:
    """Let the loop go on until something is true of the stage; the bound only ends a hang."""
    end = asyncio.get_running_loop().time() + limit_s
    while asyncio.get_running_loop().time() < end:
        if condition():
            return
        await asyncio.sleep(0)
    assert condition(), here.voice.told[-5:]


def node_of(here: Stage, child: ScriptedChild) -> Node:
    """Give the node a child stands for."""
    return here.node(child._node.node_id)  # noqa: SLF001


def failed(here: Stage, node_id: NodeId) -> EndChild:
    """Say that a child failed."""
    return EndChild(
        node=node_id,
        outcome=Outcome.FAILED,
        stop_reason=StopReason.ERROR,
        reason="test",
        **here.voice.now(),
    )
