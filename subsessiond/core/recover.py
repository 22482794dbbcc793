"""After a restart: what an earlier life left is settled, with a reason that says so."""

from subsessiond.core.cancel import finish_closing
from subsessiond.core.draft import Draft
from subsessiond.core.mail import put_back
from subsessiond.core.release import release_or_record
from subsessiond.core.settle import settle_by_runtime
from subsessiond.model.commands import ConfirmGone, Recover
from subsessiond.model.decision import Decided
from subsessiond.model.node import Status
from subsessiond.model.policy import Policy
from subsessiond.model.rejection import Rejection
from subsessiond.model.report import Outcome
from subsessiond.model.tree import Tree


def decide_recover(tree: Tree, policy: Policy, command: Recover) -> Decided | Rejection:
    """Settle and release one child of an earlier life. Doing it twice changes nothing more.

    A root lives on: what it was handed comes again, for its answer may have been lost.
    """
    draft = Draft(tree, policy, command)
    node = tree.nodes.get(command.node)
    if node is None or node.status is Status.RELEASED:
        return draft.done()
    if node.is_root:
        put_back(draft, node.node_id)
        return draft.done()
    if node.is_live:
        started = node.status is Status.RUNNING
        reason = "daemon-restart" if started else "start-interrupted"
        settle_by_runtime(draft, node.node_id, Outcome.FAILED, reason)
    gone = ConfirmGone(
        at_ms=command.at_ms,
        awake_ms=command.awake_ms,
        node=command.node,
        forced=command.forced,
        leftovers=command.leftovers,
    )
    release_or_record(draft, gone)
    finish_closing(draft, node.root)
    return draft.done()
