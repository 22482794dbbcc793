"""One node as one row, in the operator's size and in the size a parent is shown."""

from typing import Final

from msgspec.structs import replace

from subsessiond.core.attach import awaits_attach
from subsessiond.core.bounds import one_line
from subsessiond.core.letter import checkpoint_pointer
from subsessiond.core.tally import together
from subsessiond.core.views.measure import fit_text, json_bytes
from subsessiond.model.node import Node, Status
from subsessiond.model.report import Outcome
from subsessiond.model.view import ChildRow, MeasuredSubtree, MeasuredTokens, Row

CHILD_ROW_BYTES: Final = 400
"""Bound of one row to a node, as compact JSON."""

WORD_BYTES: Final = 34
"""A role or a reason in such a row, quotes included: with the largest of all numbers and names,
379 bytes are then taken, and a title always has room."""

SIGN_BYTES: Final = 80


def is_blocked(node: Node) -> bool:
    """Tell whether a blocked final waits for a person: not dismissed, nobody took it over."""
    said = node.settlement
    blocked = said is not None and said.outcome is Outcome.BLOCKED
    return blocked and not node.dismissed and node.successor is None


def is_stopping(node: Node) -> bool:
    """Tell whether a node is on its way out: settled or cancelled, and not yet gone."""
    return node.status is Status.SETTLED or (node.stopping and node.is_live)


def known_ms(stamp: int | None) -> int | None:
    """Give a real time stamp; a missing one and zero both mean unknown, never 1970."""
    return stamp if stamp is not None and stamp > 0 else None


def elapsed_ms(node: Node) -> int | None:
    """Give how long a settled node ran; frozen, and unknown unless both ends are real."""
    start, end = known_ms(node.started_at_ms), known_ms(node.settled_at_ms)
    if start is None or end is None or end < start:
        return None
    return end - start


def pointer_of(node: Node) -> str:
    """Give the pointer to a node's newest checkpoint; empty without one."""
    mark = node.checkpoint
    return checkpoint_pointer(node.node_id, mark.line) if mark is not None else ""


def measured_tokens(node: Node) -> MeasuredTokens | None:
    """Give the figures of the node itself; none when its agent reported nothing."""
    seen = node.measured
    if seen is None:
        return None
    return MeasuredTokens(
        input=seen.input,
        cache_read=seen.cache_read,
        cache_write=seen.cache_write,
        output=seen.output,
    )


def measured_subtree(node: Node) -> MeasuredSubtree | None:
    """Give the figures of the node and all below it, and of how many of these they are."""
    all_of_it = together(node)
    seen = all_of_it.measured
    if seen is None:
        return None
    return MeasuredSubtree(
        input=seen.input,
        cache_read=seen.cache_read,
        cache_write=seen.cache_write,
        output=seen.output,
        reporting=all_of_it.reporting,
        started=all_of_it.started,
    )


def row_of(node: Node, unread: int = 0) -> Row:
    """Make the operator's row.

    Args:
        node: The node.
        unread: How much mail it left that nobody will read.
    """
    said = node.settlement
    return Row(
        node_id=node.node_id,
        parent_id=node.parent,
        root_id=node.root,
        seq=node.seq,
        title=node.title,
        role=node.role.name if node.role is not None else "",
        state=node.status,
        stopping=is_stopping(node),
        blocked=is_blocked(node),
        phase=node.phase if node.is_live and not node.is_root else None,
        awaits_attach=awaits_attach(node),
        outcome=said.outcome if said else None,
        reason=said.reason if said else "",
        author=said.author if said else None,
        last_sign_at=known_ms(node.last_sign_ms),
        last_sign=one_line(node.last_sign, SIGN_BYTES),
        claimed_at=known_ms(node.claimed_at_ms),
        started_at=known_ms(node.started_at_ms),
        settled_at=known_ms(node.settled_at_ms),
        released_at=known_ms(node.released_at_ms),
        elapsed_ms=elapsed_ms(node),
        declared_token_cap=node.token_cap,
        measured_tokens=measured_tokens(node),
        measured_subtree=measured_subtree(node),
        checkpoint=pointer_of(node),
        predecessor=node.predecessor,
        successor=node.successor,
        generation=node.generation,
        overlaps=node.overlaps,
        leftovers=node.leftovers,
        dismissed=node.dismissed,
        unread=unread,
        reports=node.reports,
        refusals=node.refusals,
    )


def child_row(node: Node) -> ChildRow:
    """Make the row a parent is shown: at most 400 bytes, the title takes what is left."""
    said = node.settlement
    role = node.role.name if node.role is not None else ""
    row = ChildRow(
        node_id=node.node_id,
        seq=node.seq,
        title="",
        state=node.status,
        role=fit_text(role, WORD_BYTES),
        stopping=is_stopping(node),
        blocked=is_blocked(node),
        outcome=said.outcome if said else None,
        reason=fit_text(said.reason, WORD_BYTES) if said else "",
        declared_token_cap=node.token_cap,
        claimed_at=known_ms(node.claimed_at_ms),
        settled_at=known_ms(node.settled_at_ms),
        last_sign_at=known_ms(node.last_sign_ms) if node.is_live else None,
        successor=node.successor,
        reports=node.reports,
    )
    room = CHILD_ROW_BYTES - json_bytes(row) + len('""')
    return replace(row, title=fit_text(one_line(node.title, CHILD_ROW_BYTES), room))
