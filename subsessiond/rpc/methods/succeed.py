"""`subsession.succeed`: a fresh child for a settled one's work."""

import asyncio

from subsessiond.model.brief import FieldFault, Grant
from subsessiond.model.commands import Succeed
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node
from subsessiond.model.planned import PlannedPaths
from subsessiond.model.view import SpawnAnswer
from subsessiond.rpc.call import Call
from subsessiond.rpc.desk import Desk
from subsessiond.rpc.methods.spawn import planned
from subsessiond.rpc.methods.starting import started
from subsessiond.wire.canonical import fingerprint
from subsessiond.wire.params import SucceedParams

DRAIN_TURNS = 4
"""Turns of the loop: one reads the sockets, one begins the calls, and two are to spare."""


async def succeed(desk: Desk, call: Call, params: SucceedParams) -> SpawnAnswer:
    """Hire a successor through the whole pipeline again."""
    before = desk.node(params.child_id)
    async with desk.lanes.of(_lane(before)):
        await drained()
        command = Succeed(
            new_id=desk.ids.node_id(),
            predecessor=before.node_id,
            role=params.role,
            mission=params.mission,
            token_cap=params.token_cap,
            key=params.idempotency_key,
            fingerprint=fingerprint(
                "succeed", params.child_id, params.role, params.mission, params.token_cap
            ),
            paths=await inherited(desk, before, role=params.role),
            faults=_faults(desk, params.mission),
            caller=call.caller,
            **desk.stamps(),
        )
        waiting = desk.registry.submit(command)
    return await started(desk, call, await waiting, params.wait_ms)


async def perform(
    desk: Desk, call: Call, before: Node, grant: Grant, answer: str | None
) -> SpawnAnswer:
    """Succeed on the operator's word, with what she grants and answers."""
    async with desk.lanes.of(_lane(before)):
        await drained()
        command = Succeed(
            new_id=desk.ids.node_id(),
            predecessor=before.node_id,
            grant=grant,
            answer=answer,
            paths=await inherited(desk, before, grant.globs),
            caller=call.caller,
            **desk.stamps(),
        )
        waiting = desk.registry.submit(command)
    return await started(desk, call, await waiting, None)


async def drained() -> None:
    """Let what already waits in the sockets be read, and so be decided first.

    Why: the command retires whoever is silent, and a report that has arrived is no silence.
    """
    for _ in range(DRAIN_TURNS):
        await asyncio.sleep(0)


async def inherited(
    desk: Desk, before: Node, granted: tuple[str, ...] = (), role: str | None = None
) -> PlannedPaths:
    """Bring the predecessor's patterns, and granted ones, to the form they have today.

    Args:
        desk: of the daemon.
        before: the predecessor.
        granted: patterns that a person adds.
        role: another role than before.
    """
    globs = before.brief.owned_globs if before.brief is not None else ()
    known = before.role.name if before.role is not None else ""
    return await planned(desk, before, (*globs, *granted), role or known)


def _lane(before: Node) -> NodeId:
    return before.parent or before.node_id


def _faults(desk: Desk, mission: str | None) -> tuple[FieldFault, ...]:
    size, limit = len((mission or "").encode()), desk.limits.mission_bytes
    if size <= limit:
        return ()
    return (FieldFault(path="mission", problem=f"is {size} bytes long, more than {limit}"),)
