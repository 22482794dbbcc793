"""How a claimed node comes up, or fails to."""

from subsessiond.core.bounds import bytes_of_tokens, cut_bytes
from subsessiond.core.draft import Draft
from subsessiond.core.lifecycle import surely_not_started
from subsessiond.core.settle import settle_by_runtime
from subsessiond.model.commands import ConfirmStart, FailStart, NoteProcess
from subsessiond.model.decision import Decided
from subsessiond.model.events import NodeReleased, NodeStarted, ProcessNoted
from subsessiond.model.node import Status
from subsessiond.model.policy import Policy
from subsessiond.model.rejection import Rejection
from subsessiond.model.report import Outcome
from subsessiond.model.tree import Tree

SHOWN_BYTES = 400
"""How much of the reason a parent is shown."""


def decide_note_process(tree: Tree, policy: Policy, command: NoteProcess) -> Decided | Rejection:
    """Remember a process, so that even a killed daemon's successor can end it."""
    draft = Draft(tree, policy, command)
    node = tree.nodes.get(command.node)
    if node is not None and not node.is_root and node.status is not Status.RELEASED:
        draft.add(ProcessNoted, node.node_id, identity=command.identity)
    return draft.done()


def decide_confirm_start(tree: Tree, policy: Policy, command: ConfirmStart) -> Decided | Rejection:
    """Let a claimed node run; one that has settled meanwhile stays settled."""
    draft = Draft(tree, policy, command)
    node = tree.nodes.get(command.node)
    if node is not None and node.status is Status.CLAIMED:
        draft.add(NodeStarted, node.node_id, identity=command.identity)
    return draft.done()


def decide_fail_start(tree: Tree, policy: Policy, command: FailStart) -> Decided | Rejection:
    """Settle a node whose agent did not start, and release it where surely nothing ran."""
    draft = Draft(tree, policy, command)
    node = tree.nodes.get(command.node)
    if node is None or node.status is not Status.CLAIMED:
        return draft.done()
    settle_by_runtime(
        draft,
        node.node_id,
        Outcome.FAILED,
        command.reason,
        output=cut_bytes(command.why, min(SHOWN_BYTES, bytes_of_tokens(node.max_report_tokens))),
        diagnostic=cut_bytes(command.diagnostic or command.why, policy.limits.diagnostic_bytes),
    )
    settled = draft.node(node.node_id).settlement
    if settled is not None and surely_not_started(node, settled):
        draft.add(NodeReleased, node.node_id)
    return draft.done()
