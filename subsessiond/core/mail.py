"""What happens to mail when its sender or its reader ends."""

from subsessiond.core.draft import Draft
from subsessiond.core.words import frame_unread
from subsessiond.model.events import MailForwarded, MessagesMoved
from subsessiond.model.ids import NodeId
from subsessiond.model.message import Message, MessageState, Source
from subsessiond.model.node import Node
from subsessiond.model.report import Stage


def supersede_progress(draft: Draft, node: Node) -> None:
    """Take out of the parent's mailbox what newer words of the node have made stale."""
    if node.parent is None:
        return
    stale = tuple(
        message.message_id
        for message in draft.tree.mail.get(node.parent, ())
        if message.sender == node.node_id
        and message.stage is Stage.PROGRESS
        and message.state is MessageState.STAGED
        and not message.again
    )
    if stale:
        draft.add(MessagesMoved, node.parent, message_ids=stale, state=MessageState.SUPERSEDED)


def return_unread(draft: Draft, node_id: NodeId) -> None:
    """Tell senders which of their words a settled child never read.

    Why only those that live: whoever takes over from a settled sender never said those words.
    """
    unread = tuple(m for m in draft.tree.mail.get(node_id, ()) if m.source is Source.STEER)
    if not unread:
        return
    ids = tuple(m.message_id for m in unread)
    draft.add(MessagesMoved, node_id, message_ids=ids, state=MessageState.UNDELIVERABLE)
    for message in unread:
        if message.sender is not None and draft.node(message.sender).is_live:
            draft.stage(node_id, _notice(draft, node_id, message))


def put_back(draft: Draft, node_id: NodeId) -> None:
    """Let what was handed over and never acknowledged come again, marked so.

    Why: whoever was handed it is gone, or was away, and nobody knows whether it was read.
    """
    box = draft.tree.mail.get(node_id, ())
    ids = tuple(m.message_id for m in box if m.state is MessageState.DELIVERED)
    if ids:
        draft.add(MessagesMoved, node_id, message_ids=ids, state=MessageState.STAGED)


def give_back(draft: Draft, heir: Node) -> None:
    """Return what a successor that never ran took over, so that the next one gets it."""
    if heir.predecessor is not None and draft.tree.mail.get(heir.node_id):
        draft.add(MailForwarded, heir.node_id, to=heir.predecessor)


def _notice(draft: Draft, node_id: NodeId, unread: Message) -> Message:
    assert unread.sender is not None
    return Message(
        message_id=draft.next_message(node_id),
        recipient=unread.sender,
        sender=node_id,
        source=Source.NOTICE,
        text=frame_unread(node_id, unread.message_id),
    )
