"""`events.subscribe`: this connection hears events from now on."""

from subsessiond.model.view import SubscribeAnswer
from subsessiond.rpc.call import Call
from subsessiond.rpc.desk import Desk
from subsessiond.rpc.refused import Malformed
from subsessiond.wire.params import SubscribeParams


async def subscribe(desk: Desk, call: Call, params: SubscribeParams) -> SubscribeAnswer:
    """Follow events after a cursor; over a WebSocket alone."""
    if call.connection is None:
        raise Malformed("transport", "must be a WebSocket (GET /ws): events are pushed")
    resync = desk.feed.subscribe(call.connection, call.caller.node_id, params.after_seq)
    return SubscribeAnswer(seq=desk.tree.seq, resync=resync)
