"""Arithmetic of the context ledger. Nothing is decided by what it gives."""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from subsessiond.core.bounds import size_bytes
from subsessiond.core.words.answers import shown_text
from subsessiond.model.events import MessagesMoved
from subsessiond.model.ids import NodeId
from subsessiond.model.ledger import Account, Life, Part, Stream, Why
from subsessiond.model.message import MessageState, Source
from subsessiond.model.node import Node
from subsessiond.model.tree import Tree

UNHEARD: Final = frozenset({"scripted", "external", "plan"})
"""Runners whose agents' words do not pass through the daemon, or that have no agent at all."""


def split(total: int, parts: Sequence[Part]) -> tuple[Part, ...]:
    """Share what frames several parts evenly among them, odd bytes to the first of them.

    Args:
        total: Bytes of the whole.
        parts: What stands in it, together no more than the whole.

    Returns:
        Parts that make up the whole exactly; where there were none, one of no child.
    """
    if not parts:
        return (Part(node=None, why=Why.ANSWER, size=total),)
    rest = total - sum(part.size for part in parts)
    each, odd = divmod(rest, len(parts))
    return tuple(
        replace(part, size=part.size + each + (place < odd)) for place, part in enumerate(parts)
    )


def mail_part(sender: NodeId | None, source: str, text: str, *, again: bool) -> Part:
    """Count one message as its reader is shown it; what somebody above said is no child's."""
    return Part(
        node=None if source == Source.STEER else sender,
        why=Why.AGAIN if again else Why.MAIL,
        size=size_bytes(shown_text(text, again=again)),
    )


def read_by_script(before: Tree, event: MessagesMoved) -> tuple[Part, ...]:
    """Count what a parent without an agent has read: its script says so, and nobody else.

    That is a root that scripts drive, and a child that plays one. Why not what the operator looks
    at: a person is no parent, and whoever reads as a node has been handed its mail before it says
    that it has read.

    Args:
        before: The tree before these messages moved.
        event: What moved.
    """
    node = before.nodes.get(event.node)
    if node is None or not _is_script(node):
        return ()
    if event.state is not MessageState.ACKNOWLEDGED:
        return ()
    moved = frozenset(event.message_ids)
    return tuple(
        mail_part(message.sender, message.source, message.text, again=False)
        for message in before.mail.get(event.node, ())
        if message.message_id in moved and message.state is MessageState.STAGED
        if not message.again and message.source is not Source.STEER
    )


def _is_script(node: Node) -> bool:
    return node.identity is None if node.is_root else node.runner == "scripted"


def streamed(account: Account, stream: Stream, size: int) -> Account:
    """Count what went between the daemon and a child."""
    if stream is Stream.SAID:
        return replace(account, said=account.said + size)
    if stream is Stream.PRINTED:
        return replace(account, printed=account.printed + size)
    return replace(account, errors=account.errors + size)


def shown(account: Account, why: Why, size: int) -> Account:
    """Count what a node's parent was shown because of it."""
    if why is Why.MAIL:
        return replace(account, mail=account.mail + size)
    if why is Why.AGAIN:
        return replace(account, again=account.again + size)
    return replace(account, answers=account.answers + size)


def transcript_bytes(node: Node, account: Account | None) -> int | None:
    """Give what a child's session holds; none where nobody counted it.

    A program's session is what it printed, on both outputs. An agent's is what it was told and what
    it printed in its protocol; its second output is for people and no part of it.
    """
    if account is None or account.since_ms is not None or node.runner in UNHEARD or node.is_root:
        return None
    if node.runner == "command":
        return account.printed + account.errors
    return account.said + account.printed


def shown_bytes(account: Account | None) -> int | None:
    """Give what a parent was shown because of a child, repeats left out; none if not counted."""
    if account is None or account.since_ms is not None:
        return None
    return account.mail + account.answers


def total(figures: Iterable[int | None]) -> int | None:
    """Add figures up; none where one of them is not known."""
    known = tuple(figures)
    return None if None in known else sum(figure for figure in known if figure is not None)


def ratio(shown_size: int | None, transcript: int | None) -> float | None:
    """Give what was shown as a part of the transcript; none where that says nothing."""
    if shown_size is None or not transcript:
        return None
    return shown_size / transcript


def may_lack(node: Node, root: Node | None, lives: Iterable[Life]) -> bool:
    """Tell whether a life of the daemon that was killed may have counted something of a node."""
    closed = root.settled_at_ms if root is not None else None
    return any(
        node.claimed_at_ms <= life.found_ms and (closed is None or closed >= life.began_ms)
        for life in lives
    )
