"""Mail that a settled node left and no heir took over: only a person will read it, if anybody."""

from subsessiond.model.message import Message, MessageState, Source
from subsessiond.model.node import Author, Node
from subsessiond.model.report import Outcome, Stage
from subsessiond.model.tree import Tree

_ENDED_BY_OTHERS = (Outcome.ORPHANED, Outcome.CANCELLED)


def left_unread(tree: Tree, node: Node) -> int:
    """Count what children wrote to a settled node that it never read and nobody took over.

    Signs of life do not count, nor the notices of those who only ended with others: the tree tells
    that. In a closed tree nothing counts: who closes a root has done with all of it.
    """
    box = tree.mail.get(node.node_id, ())
    if not box or node.is_live or node.is_root or node.successor is not None:
        return 0
    if not tree.roots.get(node.root, False):
        return 0
    return sum(_was_missed(tree, node, message) for message in box)


def is_left(tree: Tree, node: Node) -> bool:
    """Tell whether such mail waits for a person: she has not put it aside."""
    return not node.dismissed and left_unread(tree, node) > 0


def _was_missed(tree: Tree, node: Node, message: Message) -> bool:
    chose = node.settlement is not None and node.settlement.author is Author.CHILD
    if chose and message.state is MessageState.DELIVERED:
        # Why: it was shown this, and chose its own end afterwards.
        return False
    if message.source is Source.REPORT:
        return message.stage is not Stage.PROGRESS
    sender = tree.nodes.get(message.sender) if message.sender is not None else None
    said = sender.settlement if sender is not None else None
    ended = said is not None and said.outcome not in _ENDED_BY_OTHERS
    return message.source is Source.SETTLED and ended
