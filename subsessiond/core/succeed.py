"""`succeed`: a fresh hire with a handover letter, through the whole pipeline again."""

from msgspec.structs import replace

from subsessiond.core.case import SpawnCase
from subsessiond.core.draft import Draft
from subsessiond.core.spawn import first_answer, judge
from subsessiond.core.succession import heir_parent_of
from subsessiond.core.sweep import sweep_silent
from subsessiond.model.brief import Brief
from subsessiond.model.commands import PlannedPaths, Spawn, Succeed
from subsessiond.model.decision import Decided
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node
from subsessiond.model.policy import Policy
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.role import ToolClass
from subsessiond.model.tree import Tree


def decide_succeed(tree: Tree, policy: Policy, command: Succeed) -> Decided | Rejection:
    """Hire a successor, after whoever has been silent too long is retired."""
    before = tree.nodes.get(command.predecessor)
    if before is None or before.is_root or before.brief is None:
        return Rejection(code=Code.NOT_FOUND, step="predecessor")
    heir_parent = heir_parent_of(tree, before)
    if not _may_succeed(command, heir_parent):
        return Rejection(code=Code.NOT_FOUND, step="predecessor")
    if heir_parent is None:
        return Rejection(code=Code.PARENT_NOT_LIVE, step="parent", detail="nobody above it is live")
    if command.key is not None and (known := tree.keys.get((heir_parent.node_id, command.key))):
        return first_answer(tree, known, command.fingerprint)
    draft = Draft(tree, policy, command)
    sweep_silent(draft, now=True)
    return judge(draft, _case(draft, command, heir_parent.node_id))


def _may_succeed(command: Succeed, heir_parent: Node | None) -> bool:
    caller = command.caller
    if caller.is_operator:
        return True
    if heir_parent is None or caller.node_id != heir_parent.node_id:
        return False
    role = heir_parent.role
    return role is None or ToolClass.DELEGATE in role.tools


def _case(draft: Draft, command: Succeed, parent_id: NodeId) -> SpawnCase:
    before, parent = draft.node(command.predecessor), draft.node(parent_id)
    assert before.brief is not None
    spawn = Spawn(
        at_ms=command.at_ms,
        awake_ms=command.awake_ms,
        caller=command.caller,
        new_id=command.new_id,
        parent=parent.node_id,
        role=command.role or (before.role.name if before.role else ""),
        brief=_brief(command, before),
        brief_faults=command.faults,
        paths=_paths(command, before),
        fingerprint=command.fingerprint,
        key=command.key,
        argv=before.argv,
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
    added = tuple(text for text in command.paths.owns if text not in before.owns)
    return PlannedPaths(owns=(*before.owns, *added), faults=command.paths.faults)
