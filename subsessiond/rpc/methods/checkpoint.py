"""`subsession.checkpoint`: a child writes down where it stands."""

from subsessiond.model.checkpoint import Checkpoint
from subsessiond.model.commands import SaveCheckpoint
from subsessiond.model.decision import Saved
from subsessiond.model.view import CheckpointAnswer
from subsessiond.rpc.call import Call
from subsessiond.rpc.desk import Desk
from subsessiond.rpc.rights import require_node
from subsessiond.wire.checkpoint import checkpoint_size_bytes, parse_checkpoint
from subsessiond.wire.params import CheckpointParams


async def checkpoint(desk: Desk, call: Call, params: CheckpointParams) -> CheckpointAnswer:
    """Save a checkpoint of the calling node."""
    node_id = require_node(call)
    parsed = parse_checkpoint(params.raw)
    command = SaveCheckpoint(
        node=node_id,
        checkpoint=parsed if isinstance(parsed, Checkpoint) else None,
        faults=parsed if isinstance(parsed, tuple) else (),
        size_bytes=checkpoint_size_bytes(params.raw),
        caller=call.caller,
        **desk.stamps(),
    )
    saved = await desk.ask(command, Saved)
    return CheckpointAnswer(pointer=saved.pointer, line=saved.line)
