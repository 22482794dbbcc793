"""The mail of one child, as its runner hands it over between turns."""

from subsessiond.core.bounds import bytes_of_tokens, size_bytes
from subsessiond.core.ledger import mail_part
from subsessiond.core.words import mail_prompt
from subsessiond.model.commands import MarkDelivered
from subsessiond.model.ids import MessageId, NodeId
from subsessiond.model.message import Message, MessageState, Source
from subsessiond.model.node import Node
from subsessiond.ports import Voice


class Mailbox:
    """What the published tree holds for one child.

    Args:
        voice: shows the tree, and is told what was handed over.
        node_id: whose mail it is.
    """

    def __init__(self, voice: Voice, node_id: NodeId) -> None:
        self._voice = voice
        self._node_id = node_id
        self._saying: tuple[MessageId, ...] = ()
        """What the agent is told, and has not worked through."""
        self._handed: set[MessageId] = set()
        """What it was handed, and is not known to have read."""
        self._unheard: set[MessageId] = set()
        """What of it comes again."""

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

    async def take(self) -> str:
        """Hand over what is unread, oldest first; empty where there is nothing.

        It is bounded, but for one message alone; the rest is announced, and comes with the next.

        Why noted before it is said: after a crash between the two it comes once more, marked, and
        never a second time as if it were the first.
        """
        unread = self._unread()
        shown: list[Message] = []
        room = bytes_of_tokens(self._voice.policy.limits.wake_tokens)
        for message in unread:
            room -= size_bytes(message.text)
            if shown and room < 0:
                break
            shown.append(message)
        if not shown:
            return ""
        said = tuple((m.text, m.again or m.message_id in self._handed) for m in shown)
        ids = tuple(message.message_id for message in shown)
        self._saying += ids
        self._handed.update(ids)
        self._unheard.difference_update(ids)
        now = self._voice.now()
        await self._voice.ask(MarkDelivered(node=self._node_id, message_ids=ids, **now))
        prompt = mail_prompt(said, len(unread) - len(shown))
        parts = [
            mail_part(message.sender, message.source, text, again=again)
            for message, (text, again) in zip(shown, said, strict=True)
        ]
        self._voice.show(self._node_id, size_bytes(prompt), parts)
        return prompt

    def note_heard(self) -> None:
        """Tell that the agent worked through what it was handed: it has read it."""
        if self._saying:
            now = self._voice.now()
            ids = self._take_saying()
            self._handed.difference_update(ids)
            told = MarkDelivered(node=self._node_id, message_ids=ids, read=True, **now)
            self._voice.tell(told)

    def note_unheard(self) -> None:
        """Let what was handed over come again: its prompt came to nothing."""
        self._unheard.update(self._take_saying())

    def _take_saying(self) -> tuple[MessageId, ...]:
        ids, self._saying = self._saying, ()
        return ids

    def _unread(self) -> list[Message]:
        """Give its mail; what is said to it comes as a prompt of its own."""
        staged = MessageState.STAGED
        return [
            message
            for message in self._voice.tree.mail.get(self._node_id, ())
            if message.source is not Source.STEER
            and (message.state is staged or message.message_id in self._unheard)
        ]

    def _staged(self) -> tuple[Message, ...]:
        box = self._voice.tree.mail.get(self._node_id, ())
        return tuple(message for message in box if message.state is MessageState.STAGED)
