"""How a child's run ends without its own word: by exit, by error, by the end of its turn."""

from msgspec.structs import replace

from subsessiond.core.bounds import bytes_of_tokens, cut_bytes, one_line, tail_bytes
from subsessiond.core.draft import Draft
from subsessiond.core.lifecycle import PROMOTED
from subsessiond.core.settle import settle, settle_by_runtime, settlement_of
from subsessiond.model.commands import EndChild, EndTurn, NoteRefusal, NoteSign
from subsessiond.model.decision import Decided
from subsessiond.model.events import FinalAsked, RefusalNoted, SignSeen
from subsessiond.model.message import MessageState
from subsessiond.model.node import Author, Node, Phase, Settlement, Status
from subsessiond.model.policy import Policy
from subsessiond.model.rejection import Rejection
from subsessiond.model.report import Outcome
from subsessiond.model.tree import Tree

SIGN_BYTES = 40
"""A parent is shown the last sign of a retired child, so a sign is a word of ours, not a text."""


def decide_end_child(tree: Tree, policy: Policy, command: EndChild) -> Decided | Rejection:
    """Settle a child whose run is over; its own final, if it came first, stands."""
    draft = Draft(tree, policy, command)
    node = tree.nodes.get(command.node)
    if node is None or node.is_root or not node.is_live:
        return draft.done()
    if command.promotes and node.last_report is not None and _may_complete(tree, node):
        said = replace(node.last_report, outcome=Outcome.COMPLETED)
        promoted = replace(settlement_of(said, PROMOTED), produced_bytes=command.produced_bytes)
        settle(draft, node.node_id, promoted)
        return draft.done()
    settlement = Settlement(
        outcome=command.outcome,
        stop_reason=command.stop_reason,
        reason=command.reason,
        author=Author.RUNTIME,
        output=tail_bytes(command.output, bytes_of_tokens(node.max_report_tokens)),
        diagnostic=_bounded(policy, command.diagnostic),
        produced_bytes=command.produced_bytes,
    )
    settle(draft, node.node_id, settlement)
    return draft.done()


def _may_complete(tree: Tree, node: Node) -> bool:
    """Tell whether a node's last words may be its completed final: they are fit for its contract,
    and it leaves nobody behind.
    """
    return node.promotable and not tree.live_below.get(node.node_id, 0)


def decide_end_turn(tree: Tree, policy: Policy, command: EndTurn) -> Decided | Rejection:
    """Let a node wait, ask it once for its final, promote its last words, or settle it failed."""
    draft = Draft(tree, policy, command)
    node = tree.nodes.get(command.node)
    if node is None or node.is_root or node.status is not Status.RUNNING:
        return draft.done()
    if waits(tree, node):
        draft.add(SignSeen, node.node_id, sign="turn-end", phase=Phase.WAITING)
    elif not node.asked_for_final:
        draft.add(FinalAsked, node.node_id)
    elif node.last_report is not None and node.promotable:
        said = replace(node.last_report, outcome=Outcome.COMPLETED)
        settle(draft, node.node_id, settlement_of(said, PROMOTED))
    else:
        more = _bounded(policy, command.diagnostic)
        reason = "ended-without-final"
        settle_by_runtime(draft, node.node_id, Outcome.FAILED, reason, diagnostic=more)
    return draft.done()


def _bounded(policy: Policy, diagnostic: str | None) -> str | None:
    return None if diagnostic is None else cut_bytes(diagnostic, policy.limits.diagnostic_bytes)


def waits(tree: Tree, node: Node) -> bool:
    """Tell whether a node may end its turn and stay: something will come that wakes it.

    Mail that was handed over before woke it then; waiting on it again would have no end.
    """
    children = tree.live_below.get(node.node_id, 0)
    box = tree.mail.get(node.node_id, ())
    return children > 0 or any(message.state is MessageState.STAGED for message in box)


def decide_note_sign(tree: Tree, policy: Policy, command: NoteSign) -> Decided | Rejection:
    """Remember a sign of life of a running child; one that starts is on the start clock alone."""
    draft = Draft(tree, policy, command)
    node = tree.nodes.get(command.node)
    if node is not None and node.status is Status.RUNNING and not node.is_root:
        word = one_line(command.sign, SIGN_BYTES)
        draft.add(SignSeen, node.node_id, sign=word, phase=command.phase)
    return draft.done()


def decide_note_refusal(tree: Tree, policy: Policy, command: NoteRefusal) -> Decided | Rejection:
    """Mark on a node that its calls were turned away as too many."""
    draft = Draft(tree, policy, command)
    if command.node in tree.nodes:
        draft.add(RefusalNoted, command.node)
    return draft.done()
