"""Caps on what was measured: one word of warning near the end, and the end.

What nobody measured is not judged: an agent that tells no figures runs on, and is held by its
deadline and the limits of silence alone.
"""

from typing import Final

from subsessiond.core.bounds import bytes_of_tokens, cut_bytes
from subsessiond.core.draft import Draft
from subsessiond.core.settle import settle
from subsessiond.core.tally import together
from subsessiond.core.words import WRAP_UP, told_of_cap
from subsessiond.model.events import WrapUpAsked
from subsessiond.model.ids import NodeId
from subsessiond.model.message import Message, Source
from subsessiond.model.node import Author, Node, Settlement, Status, StopReason
from subsessiond.model.report import Outcome
from subsessiond.model.tree import Tree
from subsessiond.model.usage import Usage

STEPS: Final = 3
"""One that is under way when the word is said, one that hears it, and one that reports."""

TOKEN_CAP: Final = "token-cap"  # noqa: S105  # of tokens that are paid for


def spent_tokens(usage: Usage | None) -> int | None:
    """Give what was spent: all that was read at full price, written to a cache, or put out.

    What a cache gave is not spent. None where nothing of it was measured.
    """
    if usage is None:
        return None
    figures = [usage.input, usage.cache_write, usage.output]
    known = [figure for figure in figures if figure is not None]
    return sum(known) if known else None


def hold_caps(draft: Draft, node_id: NodeId, before: Usage | None) -> None:
    """Hold the caps of a node whose figures rose, and of all above it: theirs cover it.

    A root is not held: its agent is a person's own, and what it may lend is held by arithmetic.

    Args:
        draft: The decision, with the node's new figures.
        node_id: The node.
        before: Its figures before.
    """
    pace = (spent_tokens(draft.node(node_id).measured) or 0) - (spent_tokens(before) or 0)
    name: NodeId | None = node_id
    while name is not None:
        node = draft.node(name)
        if node.status is Status.RUNNING and not node.is_root:
            _hold(draft, node, pace)
        pace = _counted_above(node, pace)
        name = node.parent


def _counted_above(node: Node, pace: int) -> int:
    """Give how much of a step counts towards the caps above: no more than was left of its own."""
    before = (spent_tokens(together(node).measured) or 0) - pace
    return max(0, min(pace, node.token_cap - before))


def covered_tokens(tree: Tree, node: Node) -> int | None:
    """Give what a node's cap has to cover: what it spent itself, and its children by their caps.

    Why not more than a child was lent: one that spends more in a great step, or tells a false
    figure, is ended for it, and its parent and siblings are not.
    """
    children = (tree.nodes[child] for child in tree.children.get(node.node_id, ()))
    below = ((spent_tokens(together(child).measured), child.token_cap) for child in children)
    parts = [spent_tokens(node.measured), *(s if s is None else min(s, cap) for s, cap in below)]
    known = [part for part in parts if part is not None]
    return sum(known) if known else None


def _hold(draft: Draft, node: Node, pace: int) -> None:
    spent = covered_tokens(draft.tree, node)
    if spent is None:
        return
    if spent >= node.token_cap:
        settle(draft, node.node_id, _capped(node, spent))
    elif spent >= node.token_cap - _margin(node, pace) and not node.wrapped_up:
        _ask_to_wrap_up(draft, node)


def _margin(node: Node, pace: int) -> int:
    """Tell how near its cap a node is told.

    Why more than the reserve: an agent that reads its whole context anew at each step spends the
    reserve before it has heard anything. At its pace of now it hears it with a step to spare.
    """
    return max(node.reserve_tokens, min(STEPS * pace, node.token_cap // 2))


def _ask_to_wrap_up(draft: Draft, node: Node) -> None:
    draft.add(WrapUpAsked, node.node_id)
    if not any(p.name == node.agent and p.takes_steer for p in draft.policy.agents):
        return
    message = Message(
        message_id=draft.next_message(node.node_id),
        recipient=node.node_id,
        sender=None,
        source=Source.STEER,
        text=WRAP_UP,
    )
    draft.stage(node.node_id, message)


def _capped(node: Node, spent: int) -> Settlement:
    """Write the record of a node that may spend no more, from its last checkpoint."""
    mark = node.checkpoint
    told = told_of_cap(
        spent, node.token_cap, mark.phase if mark else "", mark.next_step if mark else ""
    )
    return Settlement(
        outcome=Outcome.FAILED,
        stop_reason=StopReason.MAX_TOKENS,
        reason=TOKEN_CAP,
        author=Author.RUNTIME,
        output=cut_bytes(told, bytes_of_tokens(node.max_report_tokens)),
    )
