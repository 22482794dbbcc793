"""The sweep: who has been silent too long, slow to start, or over its deadline.

Why it counts awake time: a laptop that slept, a clock that jumped and a daemon that stalled are
nobody's silence. The awake clock leaves all of that out before it comes here.
"""

from subsessiond.core.attach import EXTERNAL
from subsessiond.core.draft import Draft
from subsessiond.core.end import waits
from subsessiond.core.roots import tend_roots
from subsessiond.core.settle import settle_by_runtime
from subsessiond.model.commands import Sweep
from subsessiond.model.decision import Decided
from subsessiond.model.events import SilenceMarked
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node, Phase, Status
from subsessiond.model.policy import Limits, Policy
from subsessiond.model.rejection import Rejection
from subsessiond.model.report import Outcome
from subsessiond.model.tree import Tree


def decide_sweep(tree: Tree, policy: Policy, command: Sweep) -> Decided | Rejection:
    """Retire silent children in two steps, or in one where the caller has drained what waits."""
    draft = Draft(tree, policy, command)
    sweep_silent(draft, now=command.now)
    tend_roots(draft, command.attended)
    return draft.done()


def sweep_silent(draft: Draft, *, now: bool, spared: NodeId | None = None) -> None:
    """Mark the newly silent, and retire those marked before (or all of them, `now`).

    Who is `spared` calls at this very moment, and so cannot be silent.
    """
    for node_id in sorted(draft.tree.live):
        node = draft.node(node_id)
        if not node.is_live or node_id == spared:
            continue
        fate = fate_of(draft.tree, draft.policy.limits, node, draft.awake_ms)
        if fate is None:
            continue
        if fate == "retired-silent" and not (node.marked_silent or now):
            draft.add(SilenceMarked, node_id)
            continue
        words = _words(node, fate, draft.awake_ms)
        settle_by_runtime(draft, node_id, Outcome.FAILED, fate, output=words, diagnostic=words)


def fate_of(tree: Tree, limits: Limits, node: Node, awake_ms: int) -> str | None:
    """Name why a live child is to be retired; none while it may go on."""
    brief = node.brief
    deadline = brief.deadline_ms if brief else None
    if deadline is not None and awake_ms - node.claimed_awake_ms > deadline:
        return "deadline"
    silence = awake_ms - node.sign_awake_ms
    if node.status is Status.CLAIMED:
        before = tree.nodes.get(node.predecessor) if node.predecessor else None
        held = before is not None and before.status is not Status.RELEASED
        return None if held else _slow_start(limits, node, silence)
    # Why also without its word: nobody tells when a turn of an agent ends that a person runs.
    may_wait = node.phase is Phase.WAITING or node.runner == EXTERNAL
    waiting = may_wait and waits(tree, node)
    if node.role is None or waiting or node.phase is Phase.RATE_LIMITED:
        return None
    in_tool = node.phase is Phase.IN_TOOL
    limit = node.role.tool_timeout_ms if in_tool else node.role.retire_timeout_ms
    return "retired-silent" if silence > limit else None


def _slow_start(limits: Limits, node: Node, silence_ms: int) -> str | None:
    """Name why a claimed child is to be retired.

    Why another limit until it runs: the start clock counts from the admission, and of an agent that
    a person starts it would be over the moment it was attached.
    """
    if node.runner != EXTERNAL:
        return "start-timeout" if silence_ms > limits.start_timeout_ms else None
    has_deadline = node.brief is not None and node.brief.deadline_ms is not None
    return "attach-timeout" if silence_ms > limits.attach_timeout_ms and not has_deadline else None


def _words(node: Node, fate: str, awake_ms: int) -> str:
    seconds = (awake_ms - node.sign_awake_ms) // 1_000
    sign = node.last_sign or "its admission"
    return f"{fate}: its last sign of life was {sign}, {seconds} s ago"
