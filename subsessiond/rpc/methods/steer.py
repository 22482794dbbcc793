"""`subsession.steer`: a parent or the operator says something to a live child."""

from subsessiond.model.commands import Steer
from subsessiond.model.decision import Accepted
from subsessiond.model.ids import MessageId
from subsessiond.model.view import SteerAnswer
from subsessiond.rpc.call import Call
from subsessiond.rpc.desk import Desk
from subsessiond.wire.params import SteerParams


async def steer(desk: Desk, call: Call, params: SteerParams) -> SteerAnswer:
    """Put a message into a child's mailbox."""
    command = Steer(node=params.node_id, text=params.text, caller=call.caller, **desk.stamps())
    reply = await desk.ask(command, Accepted)
    return SteerAnswer(message_id=reply.message_id or MessageId(""), text=reply.text)
