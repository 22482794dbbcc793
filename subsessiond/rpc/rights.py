"""Who may call what, by the derived caller alone; and every guarded call's way in and out."""

from collections.abc import Callable, Hashable
from typing import Any

import msgspec
from pydantic import BaseModel

from subsessiond.core.rights import refuse_non_granting, refuse_non_operator
from subsessiond.core.views.answers import bounded_rejection
from subsessiond.model.commands import Caller, NoteRefusal
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node
from subsessiond.model.rejection import Code, Rejection
from subsessiond.rpc.call import Call, Handler
from subsessiond.rpc.desk import Desk, not_found
from subsessiond.rpc.guard import IN_FLIGHT_MOST, REFUSALS_MOST
from subsessiond.rpc.refused import Refused
from subsessiond.wire.params import SpawnParams, SucceedParams

UNCOUNTED = frozenset({Code.BUSY, Code.STORE_UNAVAILABLE})
"""Refusals that say nothing about the call that was refused."""

BUSY_WAIT_MS = 250


def require_operator(call: Call) -> None:
    """Refuse everyone but the operator."""
    if rejection := refuse_non_operator(call.caller):
        raise Refused(rejection)


def require_granting(call: Call) -> None:
    """Refuse everyone who is not a person at her own terminal or page."""
    if rejection := refuse_non_granting(call.caller):
        raise Refused(rejection)


def require_node(call: Call) -> NodeId:
    """Give the calling node; refuse the operator, who is none."""
    if call.caller.node_id is None:
        detail = "only a node does this for itself, with its own SUBSESSION_TOKEN"
        raise Refused(Rejection(code=Code.NOT_ALLOWED, step="node", detail=detail))
    return call.caller.node_id


def own_child(desk: Desk, call: Call, node_id: NodeId) -> Node:
    """Give a node in memory that is the caller's own child; the operator's is every node.

    Raises:
        Refused: NOT_FOUND - not there and not the caller's own look the same.
    """
    node = desk.node(node_id)
    if not call.caller.is_operator and node.parent != call.caller.node_id:
        raise not_found()
    return node


def guarded(desk: Desk, name: str, run: Handler) -> Handler:
    """Put the guard around a method, and bound what a node is told when it is refused.

    A node is guarded in everything it calls. The operator is guarded where a tree could be flooded
    by her scripts: in hiring, by the parent concerned.
    """
    scope = _hiring_scope(desk) if name in _HIRING else _node_scope(name)

    async def method(
        call: Call, params: BaseModel
    ) -> msgspec.Struct | msgspec.Raw | dict[str, Any]:
        who, node_id = scope(call.caller, params)
        if who is None:
            return await run(call, params)
        if not desk.guard.enter(who):
            raise Refused(_too_many_calls())
        try:
            _check_refusals(desk, who, node_id)
            return await run(call, params)
        except Refused as refused:
            raise _noted(desk, call.caller, who, refused.rejection) from None
        finally:
            desk.guard.leave(who)

    return method


_HIRING = frozenset({"subsession.spawn", "subsession.succeed"})
_Scope = Callable[[Caller, BaseModel], tuple[Hashable, NodeId | None]]


def _node_scope(name: str) -> _Scope:
    def scope(caller: Caller, _params: BaseModel) -> tuple[Hashable, NodeId | None]:
        if caller.node_id is None:
            return None, None
        return (caller.node_id, name), caller.node_id

    return scope


def _hiring_scope(desk: Desk) -> _Scope:
    """Count hiring by the parent under whom it happens, apart from the parent's own calls."""

    def scope(caller: Caller, params: BaseModel) -> tuple[Hashable, NodeId | None]:
        if caller.node_id is not None:
            return (caller.node_id, "hire"), caller.node_id
        parent = None
        if isinstance(params, SpawnParams):
            parent = params.parent_id
        elif isinstance(params, SucceedParams):
            before = desk.tree.nodes.get(params.child_id)
            parent = before.parent if before is not None else None
        if parent not in desk.tree.nodes:
            # Why: ids that are made up would be as many callers to remember.
            parent = None
        return ("operator", parent), parent

    return scope


def _check_refusals(desk: Desk, who: Hashable, node_id: NodeId | None) -> None:
    wait_ms = desk.guard.wait_ms(who, desk.clock.awake_ms())
    if not wait_ms:
        return
    if node_id is not None and node_id in desk.tree.nodes:
        desk.registry.tell(NoteRefusal(node=node_id, **desk.stamps()))
    raise Refused(
        Rejection(
            code=Code.BUSY,
            step="guard",
            detail="too many of these calls were refused; change what they ask for",
            limit=REFUSALS_MOST,
            retry_after_ms=wait_ms,
        ),
    )


def _too_many_calls() -> Rejection:
    return Rejection(
        code=Code.BUSY,
        step="guard",
        detail="too many calls are under way",
        limit=IN_FLIGHT_MOST,
        retry_after_ms=BUSY_WAIT_MS,
    )


def _noted(desk: Desk, caller: Caller, who: Hashable, rejection: Rejection) -> Refused:
    if rejection.code not in UNCOUNTED:
        desk.guard.note_refusal(who, desk.clock.awake_ms())
    if caller.is_operator:
        return Refused(rejection)
    return Refused(bounded_rejection(rejection, desk.limits))
