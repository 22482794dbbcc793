"""A decision under way: the events so far, and the tree they lead to."""

from typing import Any, TypeVar

from subsessiond.core.evolve import evolve
from subsessiond.model.commands import Command
from subsessiond.model.decision import Decided, Reply
from subsessiond.model.events import AnyEvent, Event, MessageStaged
from subsessiond.model.ids import MessageId, NodeId, message_id
from subsessiond.model.message import Message
from subsessiond.model.node import Node
from subsessiond.model.policy import Policy
from subsessiond.model.rejection import Rejection
from subsessiond.model.tree import Tree

E = TypeVar("E", bound=Event)


class Draft:
    """Collects the events of one decision and numbers them.

    Why it may change: it lives only while one decision is made, and nobody else sees it.
    """

    def __init__(self, tree: Tree, policy: Policy, command: Command) -> None:
        self.tree = tree
        self.policy = policy
        self.at_ms = command.at_ms
        self.awake_ms = command.awake_ms
        self._events: list[AnyEvent] = []

    def node(self, node_id: NodeId) -> Node:
        """Look a node up as it stands now."""
        return self.tree.nodes[node_id]

    def add(self, kind: type[E], node: NodeId, **fields: Any) -> None:
        """Let one more event happen."""
        seq = self.tree.seq + 1 if kind.durable else 0
        event = kind(node=node, at_ms=self.at_ms, awake_ms=self.awake_ms, seq=seq, **fields)
        self._events.append(event)  # type: ignore[arg-type]  # E is always one of AnyEvent
        self.tree = evolve(self.tree, event)  # type: ignore[arg-type]

    def next_message(self, cause: NodeId) -> MessageId:
        """Name the next message that a node causes."""
        return message_id(cause, self.node(cause).messages + 1)

    def stage(self, cause: NodeId, message: Message) -> None:
        """Put a message that `cause` caused into its recipient's mailbox."""
        self.add(MessageStaged, message.recipient, message=message, caused_by=cause)

    def done(self, reply: Reply | Rejection | None = None) -> Decided:
        """Close the decision with its answer."""
        return Decided(tree=self.tree, events=tuple(self._events), reply=reply)


def refuse(draft: Draft, rejection: Rejection) -> Decided:
    """Refuse, but keep the events that led there."""
    return draft.done(rejection)
