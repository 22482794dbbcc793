"""`succeed`: a fresh hire with a handover letter, through the whole pipeline again."""

from msgspec.structs import replace

from subsessiond.core.bounds import size_bytes
from subsessiond.core.case import SpawnCase
from subsessiond.core.draft import Draft
from subsessiond.core.rights import refuse_non_granting
from subsessiond.core.spawn import first_answer, judge
from subsessiond.core.succession import heir_parent_of
from subsessiond.core.sweep import sweep_silent
from subsessiond.model.brief import Brief, Grant
from subsessiond.model.commands import Caller, Spawn, Succeed
from subsessiond.model.decision import Decided
from subsessiond.model.node import Node
from subsessiond.model.planned import PlannedPaths
from subsessiond.model.policy import Limits, Policy
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.role import ToolClass
from subsessiond.model.tree import Tree


def decide_succeed(tree: Tree, policy: Policy, command: Succeed) -> Decided | Rejection:
    """Hire a successor, after whoever has been silent too long is retired."""
    before = tree.nodes.get(command.predecessor)
    if before is None or before.is_root or before.brief is None:
        return Rejection(code=Code.NOT_FOUND, step="node")
    parent = heir_parent_of(tree, before)
    if not _may_succeed(command.caller, parent):
        return Rejection(code=Code.NOT_FOUND, step="node")
    if rejection := _check_handover(policy.limits, command):
        return rejection
    if parent is not None and command.key is not None:
        known = tree.keys.get((parent.node_id, command.key))
        if known is not None:
            return first_answer(tree, known, command.fingerprint)
    draft = Draft(tree, policy, command)
    sweep_silent(draft, now=True, spared=command.caller.node_id)
    # Why again: the sweep may have retired the very node that the successor would live under.
    parent = heir_parent_of(draft.tree, draft.node(command.predecessor))
    if parent is None or not _may_succeed(command.caller, parent):
        detail = "nobody above it is live"
        return draft.done(Rejection(code=Code.PARENT_NOT_LIVE, step="parent", detail=detail))
    return judge(draft, _case(draft, command, parent))


def _may_succeed(caller: Caller, parent: Node | None) -> bool:
    """Tell whether the caller is the operator, or lives where the successor would live."""
    if caller.is_operator:
        return True
    if parent is None or caller.node_id != parent.node_id:
        return False
    return parent.role is None or ToolClass.DELEGATE in parent.role.tools


def _check_handover(limits: Limits, command: Succeed) -> Rejection | None:
    """Refuse a grant or an answer from anybody but a person, and an answer that is too long."""
    if command.grant == Grant() and command.answer is None:
        return None
    if rejection := refuse_non_granting(command.caller):
        return rejection
    actual = size_bytes(command.answer or "")
    if actual <= limits.answer_bytes:
        return None
    return Rejection(
        code=Code.MESSAGE_TOO_LARGE, step="size", limit=limits.answer_bytes, actual=actual
    )


def _case(draft: Draft, command: Succeed, parent: Node) -> SpawnCase:
    before = draft.node(command.predecessor)
    known = before.role.name if before.role else ""
    role = command.role or known
    spawn = Spawn(
        at_ms=command.at_ms,
        awake_ms=command.awake_ms,
        caller=command.caller,
        new_id=command.new_id,
        parent=parent.node_id,
        role=role,
        brief=_brief(command, before),
        brief_faults=command.faults,
        paths=_paths(command, before),
        fingerprint=command.fingerprint,
        key=command.key,
        argv=before.argv if role == known else (),
    )
    return SpawnCase(
        tree=draft.tree,
        policy=draft.policy,
        command=spawn,
        parent=parent,
        predecessor=before,
        grant=command.grant,
        answer=command.answer,
    )


def _brief(command: Succeed, before: Node) -> Brief:
    assert before.brief is not None
    brief = replace(before.brief, continues=before.node_id)
    if command.mission is not None:
        brief = replace(brief, mission=command.mission)
    if command.token_cap is not None:
        brief = replace(brief, token_cap=command.token_cap)
    return brief


def _paths(command: Succeed, before: Node) -> PlannedPaths:
    """The predecessor's claim is transferred as it was admitted; a grant's patterns are added."""
    spelled = command.paths.spelled or command.paths.owns
    pairs = tuple(zip(command.paths.owns, spelled, strict=False))
    added = tuple((normal, word) for normal, word in pairs if normal not in before.owns)
    return PlannedPaths(
        owns=(*before.owns, *(normal for normal, _ in added)),
        spelled=(*before.owns, *(word for _, word in added)),
        faults=command.paths.faults,
        project=command.paths.project,
    )
