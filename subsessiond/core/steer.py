"""`steer`: a parent or the operator says something to a live child."""

from subsessiond.core.bounds import bytes_of_tokens, size_bytes
from subsessiond.core.draft import Draft
from subsessiond.core.rights import is_below
from subsessiond.core.words import frame_steer
from subsessiond.model.commands import Steer
from subsessiond.model.decision import Accepted, Decided
from subsessiond.model.message import Message, Source
from subsessiond.model.policy import Policy
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.tree import Tree


def decide_steer(tree: Tree, policy: Policy, command: Steer) -> Decided | Rejection:
    """Put a message into a child's mailbox; accepted is not read, and the answer says so."""
    node = tree.nodes.get(command.node)
    if node is None or node.is_root or not is_below(command.caller, node):
        return Rejection(code=Code.NOT_FOUND, step="caller")
    limit, actual = bytes_of_tokens(policy.limits.steer_tokens), size_bytes(command.text)
    if actual > limit:
        return Rejection(code=Code.MESSAGE_TOO_LARGE, step="size", limit=limit, actual=actual)
    if not node.is_live:
        return Rejection(
            code=Code.NODE_NOT_LIVE,
            step="live",
            detail="it has settled; succeed continues its work",
        )
    if not _can_read(policy, node.agent):
        detail = f"agent {node.agent} takes no messages while it runs; wait for its report"
        return Rejection(code=Code.NOT_ALLOWED, step="agent", detail=detail)
    if rejection := _check_mailbox(tree, policy, command):
        return rejection
    draft = Draft(tree, policy, command)
    message = Message(
        message_id=draft.next_message(node.node_id),
        recipient=node.node_id,
        sender=command.caller.node_id,
        source=Source.STEER,
        text=frame_steer(command.text),
    )
    draft.stage(node.node_id, message)
    text = f"accepted as message {message.message_id}; not read yet"
    return draft.done(Accepted(message_id=message.message_id, text=text))


def _check_mailbox(tree: Tree, policy: Policy, command: Steer) -> Rejection | None:
    """Refuse where so many wait unread that nobody would read one more."""
    box = tree.mail.get(command.node, ())
    waiting = sum(message.source is Source.STEER for message in box)
    limit = policy.limits.steers_waiting
    if waiting < limit:
        return None
    detail = "it has not read what it was told before"
    return Rejection(
        code=Code.BUSY,
        step="mailbox",
        detail=detail,
        limit=limit,
        actual=waiting,
        retry_after_ms=1_000,
    )


def _can_read(policy: Policy, agent: str) -> bool:
    return any(profile.name == agent and profile.takes_steer for profile in policy.agents)
