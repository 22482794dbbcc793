"""Counts what callers over JSON-RPC are shown, where they are nodes: the operator is no parent."""

from collections.abc import Awaitable, Mapping
from typing import Any

import msgspec
from pydantic import BaseModel

from subsessiond.model.ids import NodeId
from subsessiond.rpc.call import Call, Handler
from subsessiond.rpc.desk import Desk
from subsessiond.rpc.refused import Refused
from subsessiond.rpc.shown import REPORT, SHOWING, is_shown, parts_of_answer, parts_of_refusal
from subsessiond.wire.errors import error_object

_encode = msgspec.json.Encoder().encode


def showing(desk: Desk, handlers: Mapping[str, Handler]) -> Mapping[str, Handler]:
    """Give the same methods; what they answer nodes is counted."""
    return {
        name: _counted(desk, name, run) if name in SHOWING or name == REPORT else run
        for name, run in handlers.items()
    }


def _counted(desk: Desk, name: str, run: Handler) -> Handler:
    async def counted(reader: NodeId, call: Call, params: BaseModel) -> msgspec.Raw:
        subject = _subject(params)
        try:
            found = await run(call, params)
        except Refused as refused:
            if is_shown(name, refused.rejection.code.name):
                size = len(_encode(error_object(refused.rejection)))
                parts = parts_of_refusal(desk.tree, reader, name, size, subject)
                desk.ledger.show(reader, size, parts)
            raise
        answer = found if type(found) is msgspec.Raw else msgspec.Raw(_encode(found))
        if is_shown(name, None):
            parts = parts_of_answer(desk.tree, reader, name, answer, subject)
            desk.ledger.show(reader, len(answer), parts)
        return answer

    # Why not a coroutine of its own for all: the operator's reads are many, and cost nothing here.
    def method(call: Call, params: BaseModel) -> Awaitable[Any]:
        reader = call.caller.node_id
        return run(call, params) if reader is None else counted(reader, call, params)

    return method


def _subject(params: BaseModel) -> str | None:
    found = (getattr(params, name, None) for name in ("node_id", "child_id", "message_id"))
    name = next((one for one in found if one is not None), None)
    return str(name).partition(".")[0] if name is not None else None
