"""`inbox`: how mail is read. Only the reader's own word moves a message on."""

from subsessiond.core.draft import Draft
from subsessiond.model.commands import Acknowledge, MarkDelivered
from subsessiond.model.decision import Decided, Moved
from subsessiond.model.events import MessagesMoved
from subsessiond.model.message import Message, MessageState
from subsessiond.model.policy import Policy
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.tree import Tree


def decide_acknowledge(tree: Tree, policy: Policy, command: Acknowledge) -> Decided | Rejection:
    """Take messages that their reader has read out of its mailbox."""
    if command.caller.node_id != command.node and not _scripted_root(tree, command):
        detail = "only the reader itself acknowledges its mail"
        return Rejection(code=Code.NOT_ALLOWED, step="caller", detail=detail)
    if command.node not in tree.nodes:
        return Rejection(code=Code.NOT_FOUND, step="node")
    draft = Draft(tree, policy, command)
    known = _known(tree.mail.get(command.node, ()), command.message_ids)
    _move(draft, command, known, MessageState.ACKNOWLEDGED)
    return draft.done(Moved(count=len(known)))


def _scripted_root(tree: Tree, command: Acknowledge) -> bool:
    """A root without an agent of its own is driven by the operator's scripts."""
    node = tree.nodes.get(command.node)
    bare = node is not None and node.is_root and node.identity is None
    return command.caller.is_operator and bare


def decide_delivered(tree: Tree, policy: Policy, command: MarkDelivered) -> Decided | Rejection:
    """Note that messages were handed to their reader, or read by its agent."""
    draft = Draft(tree, policy, command)
    box = _known(tree.mail.get(command.node, ()), command.message_ids)
    if command.read:
        _move(draft, command, box, MessageState.ACKNOWLEDGED)
    else:
        staged = tuple(m for m in box if m.state is MessageState.STAGED)
        _move(draft, command, staged, MessageState.DELIVERED)
    return draft.done()


def _known(box: tuple[Message, ...], ids: tuple[str, ...]) -> tuple[Message, ...]:
    wanted = frozenset(ids)
    return tuple(message for message in box if message.message_id in wanted)


def _move(
    draft: Draft,
    command: Acknowledge | MarkDelivered,
    messages: tuple[Message, ...],
    state: MessageState,
) -> None:
    if messages:
        ids = tuple(message.message_id for message in messages)
        draft.add(MessagesMoved, command.node, message_ids=ids, state=state)
