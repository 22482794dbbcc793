"""`checkpoint`: a child writes down where it stands."""

from subsessiond.core.draft import Draft
from subsessiond.core.letter import checkpoint_pointer
from subsessiond.model.commands import SaveCheckpoint
from subsessiond.model.decision import Decided, Saved
from subsessiond.model.events import CheckpointSaved
from subsessiond.model.policy import Policy
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.tree import Tree


def decide_checkpoint(tree: Tree, policy: Policy, command: SaveCheckpoint) -> Decided | Rejection:
    """Keep a checkpoint and answer the pointer to it; size is judged before shape."""
    node = tree.nodes.get(command.node)
    if node is None or node.is_root or command.caller.node_id != command.node:
        detail = "only the node itself writes its checkpoints"
        return Rejection(code=Code.NOT_ALLOWED, step="caller", detail=detail)
    limit = policy.limits.checkpoint_bytes
    if command.size_bytes > limit:
        return Rejection(
            code=Code.CHECKPOINT_TOO_LARGE,
            step="size",
            limit=limit,
            actual=command.size_bytes,
        )
    if command.faults or command.checkpoint is None:
        return Rejection(code=Code.CHECKPOINT_INVALID, step="shape", fields=command.faults)
    if not node.is_live:
        return Rejection(
            code=Code.NODE_NOT_LIVE, step="live", detail="you have settled; end your turn"
        )
    draft = Draft(tree, policy, command)
    line = node.journal_lines + 1
    draft.add(CheckpointSaved, node.node_id, checkpoint=command.checkpoint, line=line)
    return draft.done(Saved(pointer=checkpoint_pointer(node.node_id, line), line=line))
