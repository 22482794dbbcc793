"""Measured tokens: running totals of a node, kept seldom while it runs and always afterwards.

What a spawn may be lent never depends on them: that is declared arithmetic.
"""

from typing import Final

from subsessiond.core.draft import Draft
from subsessiond.core.spending import hold_caps
from subsessiond.core.tally import most, sound
from subsessiond.model.commands import NoteUsage
from subsessiond.model.decision import Decided
from subsessiond.model.events import UsageMeasured, UsageSeen
from subsessiond.model.node import Status
from subsessiond.model.policy import Policy
from subsessiond.model.rejection import Rejection
from subsessiond.model.tree import Tree

KEPT_EVERY_MS: Final = 30_000
"""How often the figures of a running node are made durable: so much a killed daemon loses."""


def decide_note_usage(tree: Tree, policy: Policy, command: NoteUsage) -> Decided | Rejection:
    """Raise what was measured of a node that was ever up; what raises nothing is no event.

    Also of one that has settled: the tokens of its last turn are told when that turn is over.
    Why two events: what is measured ten times a minute must not cost a commit each time, and what
    is known when a node has ended must not be lost any more.
    """
    draft = Draft(tree, policy, command)
    node = tree.nodes.get(command.node)
    if node is None or node.is_root or node.started_at_ms is None:
        return draft.done()
    total = most(node.measured, sound(command.usage))
    if node.status is Status.RELEASED or total is None or total == node.measured:
        return draft.done()
    is_due = command.awake_ms - node.measured_awake_ms >= KEPT_EVERY_MS
    if is_due or node.status is Status.SETTLED:
        draft.add(UsageMeasured, node.node_id, usage=total)
    else:
        draft.add(UsageSeen, node.node_id, usage=total)
    hold_caps(draft, node.node_id, node.measured)
    return draft.done()
