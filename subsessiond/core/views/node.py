"""One node: everything for the operator, a bounded view for its parent."""

from typing import Any, Final

from msgspec.structs import replace

from subsessiond.core.bounds import bytes_of_tokens
from subsessiond.core.unread import left_unread
from subsessiond.core.views.measure import fit_text, json_bytes
from subsessiond.core.views.row import (
    child_row,
    known_ms,
    measured_subtree,
    measured_tokens,
    pointer_of,
    row_of,
)
from subsessiond.model.brief import Grant
from subsessiond.model.node import Node
from subsessiond.model.tree import Tree
from subsessiond.model.view import ChildView, Envelope, NodeView

CUT_BYTES: Final = 200
"""Kept free for the names of fields that did not fit whole."""

LEAST_BYTES: Final = 40
"""Less than this of a text says nothing."""


def envelope_of(node: Node) -> Envelope | None:
    """Make the settled record, diagnostic included; none while the node lives."""
    said = node.settlement
    if said is None:
        return None
    return Envelope(
        outcome=said.outcome,
        stop_reason=said.stop_reason,
        reason=said.reason,
        author=said.author,
        output=said.output,
        verification=said.verification,
        declared_token_cap=node.token_cap,
        measured_tokens=measured_tokens(node),
        measured_subtree=measured_subtree(node),
        structured=said.structured,
        sections=said.sections,
        blockers=said.blockers,
        open_questions=said.open_questions,
        files=said.files,
        message_id=said.message_id,
        claimed_at=known_ms(node.claimed_at_ms),
        started_at=known_ms(node.started_at_ms),
        settled_at=known_ms(node.settled_at_ms),
        released_at=known_ms(node.released_at_ms),
        forced=node.forced,
        produced_bytes=said.produced_bytes,
        diagnostic=said.diagnostic,
    )


def node_view(tree: Tree, node: Node) -> NodeView:
    """Show the operator everything about a node; secrets are not kept in it."""
    return NodeView(
        row=row_of(node, left_unread(tree, node)),
        workspace=node.workspace,
        depth=node.depth,
        agent=node.agent,
        runner=node.runner,
        owns=node.owns,
        max_report_tokens=node.max_report_tokens,
        unread=len(tree.mail.get(node.node_id, ())),
        children=tree.children.get(node.node_id, ()),
        brief=node.brief,
        required_sections=node.required_sections,
        tools=node.role.tools if node.role is not None else (),
        grant=node.grant if node.grant != Grant() else None,
        argv=node.argv,
        letter=node.letter,
        checkpoint=node.checkpoint,
        envelope=envelope_of(node),
        last_report=node.newest,
        identity=node.identity,
    )


def child_view(node: Node, limit_tokens: int) -> ChildView:
    """Show a parent one child: its report again, and of the rest what fits.

    Args:
        node: The child.
        limit_tokens: Bound of the whole view, in estimated tokens of its JSON.
    """
    said = node.settlement
    base = ChildView(
        row=child_row(node),
        measured_tokens=measured_tokens(node),
        measured_subtree=measured_subtree(node),
        stop_reason=said.stop_reason if said else None,
        author=said.author if said else None,
        verification=fit_text(said.verification, LEAST_BYTES) if said else "",
        started_at=known_ms(node.started_at_ms),
        released_at=known_ms(node.released_at_ms),
        forced=node.forced,
        generation=node.generation,
        predecessor=node.predecessor,
        checkpoint=pointer_of(node),
    )
    return _fitted(base, _parts(node), bytes_of_tokens(limit_tokens))


def _parts(node: Node) -> tuple[tuple[str, str, Any], ...]:
    """Give what may be cut or left out: wire name, field and value, the most wanted first."""
    said, mark, brief = node.settlement or node.newest, node.checkpoint, node.brief
    return (
        ("output", "output", said.output if said else ""),
        ("blockers", "blockers", said.blockers if said else ()),
        ("openQuestions", "open_questions", said.open_questions if said else ()),
        ("sections", "sections", said.sections if said else None),
        ("structured", "structured", said.structured if said else None),
        ("files", "files", said.files if said else ()),
        ("phase", "phase", mark.phase if mark else ""),
        ("nextStep", "next_step", mark.next_step if mark else ""),
        ("leftovers", "leftovers", node.leftovers),
        ("owns", "owns", node.owns),
        ("mission", "mission", brief.mission if brief else ""),
    )


def _fitted(base: ChildView, parts: tuple[tuple[str, str, Any], ...], limit: int) -> ChildView:
    room = limit - json_bytes(base) - CUT_BYTES
    kept: dict[str, Any] = {}
    cut: list[str] = []
    for name, field, value in parts:
        if value is None or value in ("", ()):
            continue
        frame = len(name) + len('"":,')
        shown = value
        if json_bytes(value) + frame > room:
            cut.append(name)
            if not isinstance(value, str) or room < frame + LEAST_BYTES:
                continue
            shown = fit_text(value, room - frame)
        kept[field] = shown
        room -= json_bytes(shown) + frame
    return replace(base, **kept, cut=tuple(cut))
