"""`spawn`: the pinned pipeline by which a child is admitted. Nothing ever queues here."""

from collections.abc import Callable

from subsessiond.core import admission
from subsessiond.core.budget import check_budget
from subsessiond.core.case import SpawnCase
from subsessiond.core.concurrency import check_concurrency
from subsessiond.core.draft import Draft
from subsessiond.core.ownership import check_scope, unreadable
from subsessiond.core.permission import check_role, check_role_safe, check_tools
from subsessiond.core.succession import check_continues
from subsessiond.model.brief import FieldFault
from subsessiond.model.commands import Spawn
from subsessiond.model.decision import Admitted, Decided
from subsessiond.model.policy import Policy
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.role import ToolClass
from subsessiond.model.tree import KeyRecord, Tree

Check = Callable[[SpawnCase], Rejection | None]


def check_brief(case: SpawnCase) -> Rejection | None:
    """Refuse a brief with bad fields, all of them named at once."""
    faults = (*case.command.brief_faults, *case.command.paths.faults, *_dynamic_faults(case))
    if not faults and case.command.brief is not None:
        return None
    return Rejection(code=Code.BRIEF_INVALID, step="brief", fields=faults)


def _dynamic_faults(case: SpawnCase) -> tuple[FieldFault, ...]:
    """Find what is wrong only beside the role's defaults and the configuration."""
    brief = case.command.brief
    if brief is None:
        return ()
    faults: list[FieldFault] = []
    least = 4 * case.reserve_tokens
    # Why a role: without it the caps of a brief that leaves them out are not known.
    if case.role is not None and case.token_cap < least:
        problem = f"must be at least {least}: four times the reserve of its report contract"
        faults.append(FieldFault(path="brief.tokenCap", problem=problem))
    named = {fault.path for fault in case.command.paths.faults}
    for i in unreadable(case.command.paths.owns):
        # Why: the edge made these, but what the index cannot read would be claimed by nobody.
        path = f"brief.ownedGlobs[{i}]"
        if path not in named:
            faults.append(FieldFault(path=path, problem="is no pattern"))
    known = ("files", "scope", *case.policy.checks)
    for i, name in enumerate(brief.verify or ()):
        if name not in known:
            problem = "names no check of the configuration"
            faults.append(FieldFault(path=f"brief.verify[{i}]", problem=problem))
    return tuple(faults)


def check_depth(case: SpawnCase) -> Rejection | None:
    """Refuse to grow deeper than the parent's record, the role and the brief's own wish allow."""
    most = case.depth_limit
    wished = case.command.brief.depth_allowance if case.command.brief else None
    if most < 0:
        detail = "the parent may have no children"
        return Rejection(code=Code.DEPTH_EXCEEDED, step="depth", detail=detail, limit=0, actual=1)
    if wished is not None and wished > most:
        return Rejection(code=Code.DEPTH_EXCEEDED, step="depth", limit=most, actual=wished)
    return None


CHECKS: tuple[Check, ...] = (
    check_brief,
    check_role,
    check_role_safe,
    check_depth,
    check_tools,
    check_scope,
    check_budget,
    check_concurrency,
)
"""The verdict on a spawn, in its pinned order; the first failure names the code."""


def check_caller(case: SpawnCase) -> Rejection | None:
    """Refuse callers who may not have children here, whatever their tool list says."""
    caller = case.command.caller
    if caller.is_operator:
        return None
    if caller.node_id != case.parent.node_id:
        return _no_parent()
    if case.command.argv:
        detail = "only the operator gives a command line; leave argv out"
        return Rejection(code=Code.NOT_ALLOWED, step="caller", detail=detail)
    role = case.parent.role
    if role is not None and ToolClass.DELEGATE not in role.tools:
        detail = f"role {role.name} does not delegate; do the work yourself"
        return Rejection(code=Code.NOT_ALLOWED, step="caller", detail=detail)
    return None


def _no_parent() -> Rejection:
    """Refuse a parent that is not there, or not the caller: to a node both look the same."""
    detail = "the parent of a new child is always the caller itself"
    return Rejection(code=Code.NOT_FOUND, step="parent", detail=detail)


def check_parent(case: SpawnCase) -> Rejection | None:
    """Refuse below a parent that has settled."""
    return None if case.parent.is_live else Rejection(code=Code.PARENT_NOT_LIVE, step="parent")


def check_stopping(case: SpawnCase) -> Rejection | None:
    """Refuse in a subtree that is being stopped."""
    stopping = any(node.stopping for node in case.line)
    return Rejection(code=Code.SUBTREE_STOPPING, step="stopping") if stopping else None


AFTER_KEY: tuple[Check, ...] = (check_parent, check_stopping, check_continues)
"""What is looked at before the verdict, once a repeated call has had its first answer."""


def decide_spawn(tree: Tree, policy: Policy, command: Spawn) -> Decided | Rejection:
    """Admit a child, or say by which step it is refused."""
    parent = tree.nodes.get(command.parent)
    if parent is None:
        return _no_parent()
    case = SpawnCase(tree=tree, policy=policy, command=command, parent=parent)
    if rejection := check_caller(case):
        return rejection
    if command.key is not None and (known := tree.keys.get((parent.node_id, command.key))):
        return first_answer(tree, known, command.fingerprint)
    return judge(Draft(tree, policy, command), case)


def judge(draft: Draft, case: SpawnCase) -> Decided:
    """Run every check on one snapshot, then decide and reserve in one step."""
    for check in (*AFTER_KEY, *CHECKS):
        if rejection := check(case):
            return draft.done(rejection)
    if case.command.check_only:
        return draft.done(admission.would_admit(case))
    return draft.done(admission.admit(draft, case))


def first_answer(tree: Tree, known: KeyRecord, fingerprint: str) -> Decided | Rejection:
    """Answer a repeated call with the node that its first one made."""
    if fingerprint != known.fingerprint:
        return _key_conflict(known, f"that brief made {known.node_id}")
    node = tree.nodes.get(known.node_id)
    if node is None:
        # Why no fresh start: it may have run, and its record was set aside since.
        return _key_conflict(known, f"the record of its child {known.node_id} was lost")
    reply = Admitted(node_id=node.node_id, state=node.status, claimed_at=node.claimed_at_ms)
    return Decided(tree=tree, reply=reply)


def _key_conflict(known: KeyRecord, detail: str) -> Rejection:
    return Rejection(code=Code.KEY_CONFLICT, step="key", detail=detail, sibling=known.node_id)
