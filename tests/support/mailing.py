"""Mail for a child that has no children, so that its runner has something to hand over."""

from msgspec.structs import replace

from subsessiond.model.ids import MessageId, NodeId
from subsessiond.model.message import Message, Source
from tests.support.stage import Stage


def put_mail(here: Stage, node: NodeId, text: str) -> None:
    """Put a notice into a child's mailbox, as if it had a child of its own; texts are numbers."""
    tree, name = here.registry.tree, MessageId(f"{node}.{900 + int(text)}")
    message = Message(message_id=name, recipient=node, sender=None, source=Source.NOTICE, text=text)
    mail = tree.mail.set(node, (*tree.mail.get(node, ()), message))
    here.registry.tree = replace(tree, mail=mail)
