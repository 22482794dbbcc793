"""Which messages are on their way to their reader, so that no two ways carry one.

There are several: a prompt of its runner, the answer of a tool, its inbox. That a message was
handed over is durable only a moment later, and in that moment the others still see it wait.
"""

from subsessiond.model.events import AnyEvent, MessagesMoved
from subsessiond.model.ids import MessageId
from subsessiond.model.tree import Tree


class Handed(set[MessageId]):
    """Messages that were handed to their reader, until that is published."""

    def take(self, message_id: MessageId) -> bool:
        """Take a message to hand it over; false where another way has it."""
        if message_id in self:
            return False
        self.add(message_id)
        return True

    def on_events(self, events: tuple[AnyEvent, ...], _tree: Tree) -> None:
        """Forget what is published: the tree says it now."""
        for event in events:
            if isinstance(event, MessagesMoved):
                self.difference_update(event.message_ids)
