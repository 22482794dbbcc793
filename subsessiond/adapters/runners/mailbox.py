"""The mail of one child, as its runner hands it over between turns."""

from subsessiond.core.bounds import bytes_of_tokens, size_bytes
from subsessiond.core.words import mail_text
from subsessiond.model.commands import MarkDelivered
from subsessiond.model.ids import MessageId, NodeId
from subsessiond.model.message import Message, MessageState, Source
from subsessiond.model.node import Node
from subsessiond.ports import Voice

SHOWN_TOKENS = 8_000
"""Of mail in one prompt; one message alone may be more. The rest is announced."""


class Mailbox:
    """What the published tree holds for one child.

    Args:
        voice: shows the tree, and is told what was handed over.
        node_id: whose mail it is.
    """

    def __init__(self, voice: Voice, node_id: NodeId) -> None:
        self._voice = voice
        self._node_id = node_id

    @property
    def node(self) -> Node | None:
        """The child, as it stands."""
        return self._voice.tree.nodes.get(self._node_id)

    @property
    def is_live(self) -> bool:
        """Whether the child has not settled."""
        node = self.node
        return node is not None and node.is_live

    def is_staged(self, message_id: str) -> bool:
        """Whether nobody has handed a message over: it may have ridden on a tool's answer."""
        return any(message.message_id == message_id for message in self._staged())

    def take_one(self, message_id: str) -> bool:
        """Take a message to hand it over; false where it was handed over, or is just now."""
        return self.is_staged(message_id) and self._voice.take(MessageId(message_id))

    async def settle(self) -> None:
        """Return once what was told before is published: what rode on a tool's answer is read."""
        now = self._voice.now()
        await self._voice.ask(MarkDelivered(node=self._node_id, message_ids=(), **now))

    def note_read(self, message_id: str) -> None:
        """Tell that a message was said to the agent, before anything that comes of it."""
        ids = (MessageId(message_id),)
        now = self._voice.now()
        self._voice.tell(MarkDelivered(node=self._node_id, message_ids=ids, read=True, **now))

    def take(self) -> str:
        """Hand over what is unread, oldest first, bounded; empty where there is nothing."""
        unread = [message for message in self._staged() if message.source is not Source.STEER]
        shown: list[Message] = []
        room = bytes_of_tokens(SHOWN_TOKENS)
        for message in unread:
            room -= size_bytes(message.text)
            if shown and room < 0:
                break
            shown.append(message)
        if not shown:
            return ""
        ids = tuple(message.message_id for message in shown)
        now = self._voice.now()
        self._voice.tell(MarkDelivered(node=self._node_id, message_ids=ids, **now))
        return mail_text(tuple((m.text, False) for m in shown), len(unread) - len(shown))

    def _staged(self) -> tuple[Message, ...]:
        box = self._voice.tree.mail.get(self._node_id, ())
        return tuple(message for message in box if message.state is MessageState.STAGED)
