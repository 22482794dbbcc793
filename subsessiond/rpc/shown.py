"""What a parent is shown by the answers to its own calls, told apart by child.

Sizes are of bytes that are there already: an answer is looked into, and never written again.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from subsessiond.core.ledger import mail_part
from subsessiond.model.ids import NodeId
from subsessiond.model.ledger import Part, Why
from subsessiond.model.rejection import Code
from subsessiond.model.tree import Tree

HIRING: Final = frozenset({"subsession.spawn", "subsession.succeed", "subsession.plan"})
INBOX: Final = "subsession.inbox"
TREE: Final = "subsession.tree"
NAMING: Final = frozenset(
    {"subsession.steer", "subsession.cancel", "subsession.node", "subsession.receipt"}
)
SHOWING: Final = HIRING | NAMING | {INBOX, TREE}
"""Methods whose answers are a parent's; those of a child for itself are no answers to a parent."""

REPORT: Final = "subsession.report"
"""Of a child for itself, too, but for one refusal: that its own children live."""


class _Hired(msgspec.Struct, rename="camel"):
    node_id: NodeId | None = None


class _Box(msgspec.Struct):
    messages: tuple[msgspec.Raw, ...] = ()


class _Letter(msgspec.Struct, rename="camel"):
    source: str
    again: bool
    text: str
    sender_session_id: NodeId | None = None


class _Page(msgspec.Struct):
    rows: tuple[msgspec.Raw, ...] = ()


class _Row(msgspec.Struct, rename="camel"):
    node_id: NodeId


_hired: Final = msgspec.json.Decoder(_Hired).decode
_box: Final = msgspec.json.Decoder(_Box).decode
_letter: Final = msgspec.json.Decoder(_Letter).decode
_page: Final = msgspec.json.Decoder(_Page).decode
_row: Final = msgspec.json.Decoder(_Row).decode


def named(params: Mapping[str, Any]) -> str | None:
    """Give the node that a call names, or after which the message is named that it names."""
    given = params.get("nodeId") or params.get("childId") or params.get("messageId")
    return given.partition(".")[0] if isinstance(given, str) else None


def is_shown(method: str, refused: str | None) -> bool:
    """Tell whether an answer counts as shown, by its method and the word of its refusal."""
    return method in SHOWING or (method == REPORT and refused == Code.CHILDREN_LIVE.name)


def parts_of_refusal(
    tree: Tree, reader: NodeId, method: str, size: int, name: str | None
) -> tuple[Part, ...]:
    """Take apart why a parent's call was refused: of the child it named, where that is its own."""
    node = tree.nodes.get(NodeId(name)) if name is not None else None
    own = node is not None and node.parent == reader and method in NAMING | HIRING
    return (Part(node=node.node_id if own and node else None, why=Why.ANSWER, size=size),)


def parts_of_answer(
    tree: Tree, reader: NodeId, method: str, answer: msgspec.Raw, name: str | None
) -> tuple[Part, ...]:
    """Take an answer apart, as it stands in JSON."""
    if method == INBOX:
        return tuple(_of_letter(raw) for raw in _box(answer).messages)
    if method == TREE:
        return rows_of(answer)
    if method in HIRING:
        return (Part(node=_hired(answer).node_id, why=Why.ANSWER, size=len(answer)),)
    return parts_of_refusal(tree, reader, method, len(answer), name)


def rows_of(answer: msgspec.Raw) -> tuple[Part, ...]:
    """Take a page of the tree apart."""
    rows = _page(answer).rows
    return tuple(Part(node=_row(raw).node_id, why=Why.ANSWER, size=len(raw)) for raw in rows)


def letters_of(answer: msgspec.Raw) -> tuple[Part, ...]:
    """Take a mailbox apart, each message in the size of its text as a model is shown it."""
    letters = (_letter(raw) for raw in _box(answer).messages)
    return tuple(
        mail_part(one.sender_session_id, one.source, one.text, again=one.again) for one in letters
    )


def _of_letter(raw: msgspec.Raw) -> Part:
    letter = _letter(raw)
    part = mail_part(letter.sender_session_id, letter.source, letter.text, again=letter.again)
    return Part(node=part.node, why=part.why, size=len(raw))
