"""The queue of what waits for a person. A row waits here, never a process."""

from typing import Final

from subsessiond.core.attach import awaits_attach
from subsessiond.core.letter import letter_of
from subsessiond.core.unread import is_left, left_unread
from subsessiond.core.views.row import is_blocked, known_ms
from subsessiond.model.node import Node
from subsessiond.model.tree import Tree
from subsessiond.model.view import BlockedRow

CATEGORIES: Final = (
    ("approval-required", "approval"),
    ("approval", "approval"),
    ("permission", "approval"),
    ("question", "question"),
    ("missing", "missing"),
    ("budget", "budget"),
    ("scope", "scope"),
)
"""The word a blocker begins with, and the category it means."""

DEFAULT: Final = "question"
"""What a blocker in free words is: somebody has to read it and answer."""


def is_queued(tree: Tree, node: Node) -> bool:
    """Tell whether a node stands in the queue: a person has to do something, or to read."""
    return asks(node) or is_left(tree, node)


def asks(node: Node) -> bool:
    """Tell whether something does not go on until a person does something about it."""
    return is_blocked(node) or bool(node.leftovers) or awaits_attach(node)


def blocked_row(node: Node, unread: int = 0) -> BlockedRow:
    """Make the row of a queued node, with the letter a successor would start with.

    Args:
        node: The node.
        unread: What `left_unread` counts of it.
    """
    said = node.settlement
    return BlockedRow(
        node_id=node.node_id,
        parent_id=node.parent,
        title=node.title,
        category=category_of(node),
        since_ms=known_ms(node.settled_at_ms if said else node.claimed_at_ms),
        blockers=said.blockers if said else (),
        open_questions=said.open_questions if said else (),
        leftovers=node.leftovers,
        letter=letter_of(node) if said else "",
        unread=unread,
    )


def queued_row(tree: Tree, node: Node) -> BlockedRow:
    """Make the row of a queued node as it stands in a tree."""
    return blocked_row(node, left_unread(tree, node))


def category_of(node: Node) -> str:
    """Name what a person is asked for: the first blocker with a known word decides."""
    if awaits_attach(node):
        return "attach"
    if not is_blocked(node):
        return "leftovers" if node.leftovers else "mail"
    said = node.settlement
    known = (_category(blocker) for blocker in (said.blockers if said else ()))
    return next((category for category in known if category), DEFAULT)


def _category(blocker: str) -> str:
    words = blocker.split(":", 1)[0].split()
    first = words[0].lower() if words else ""
    return next((category for word, category in CATEGORIES if first == word), "")
