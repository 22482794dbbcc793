"""All other answers, bounded when they go to a node."""

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from subsessiond.core.bounds import bytes_of_tokens
from subsessiond.core.views.measure import fit_items, fit_text, json_bytes
from subsessiond.model.brief import FieldFault
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node
from subsessiond.model.policy import Limits, Policy
from subsessiond.model.projectrole import ProjectRole
from subsessiond.model.rejection import Rejection
from subsessiond.model.role import AgentProfile, Role
from subsessiond.model.tree import Tree
from subsessiond.model.view import (
    AgentRow,
    CancelAnswer,
    JournalEntry,
    ProjectRoleRow,
    RoleRow,
    StoppedNode,
)

FRAME_BYTES: Final = 600
"""Kept free in each answer for what stands around its list."""

DETAIL_BYTES: Final = 1_500
"""Words of one refusal, warning or leftover to a node."""


def room_of(limits: Limits) -> int:
    """Give the bytes that the list in an ordinary answer to a node may take."""
    return bytes_of_tokens(limits.answer_tokens) - FRAME_BYTES


def stopped(tree: Tree, ids: Iterable[NodeId]) -> tuple[StoppedNode, ...]:
    """Tell what became of the nodes of a stopped subtree."""
    return tuple(_stopped(tree.nodes[node_id]) for node_id in ids if node_id in tree.nodes)


def bounded_cancel(answer: CancelAnswer, limits: Limits) -> CancelAnswer:
    """Bound the answer to a cancel: the nodes from the top on, the rest as a number."""
    nodes = fit_items((_short(node) for node in answer.nodes), room_of(limits))
    return replace(answer, nodes=nodes, more=len(answer.nodes) - len(nodes))


def bounded_words(words: tuple[str, ...], limits: Limits) -> tuple[str, ...]:
    """Bound a list of sentences."""
    return fit_items((fit_text(word, DETAIL_BYTES) for word in words), room_of(limits))


def bounded_rejection(rejection: Rejection, limits: Limits) -> Rejection:
    """Bound a refusal: fields and paths from the front on, the rest as a number."""
    half = room_of(limits) // 2 - DETAIL_BYTES
    fields = fit_items((_short_fault(fault) for fault in rejection.fields), half)
    more = len(rejection.fields) - len(fields)
    if more:
        fields = (*fields, FieldFault(path="", problem=f"and {more} more"))
    return replace(
        rejection,
        detail=fit_text(rejection.detail, DETAIL_BYTES),
        fields=fields,
        paths=fit_items((fit_text(path, DETAIL_BYTES) for path in rejection.paths), half),
    )


def bounded_journal(
    entries: Iterable[JournalEntry], room: int, *, at_least: int = 1
) -> tuple[JournalEntry, ...]:
    """Bound a page of a journal; a line that alone is too large is shown without its body.

    Args:
        entries: In order.
        room: Bytes of JSON for all of them.
        at_least: So many are shown in any case, cut if need be, so that a page always advances.
    """
    shown: list[JournalEntry] = []
    for entry in entries:
        size = json_bytes(entry) + 1
        if size > room and len(shown) < at_least:
            kind = fit_text(entry.kind, DETAIL_BYTES)
            shown.append(replace(entry, kind=kind, body={}, cut=True))
            break
        if size > room:
            break
        shown.append(entry)
        room -= size
    return tuple(shown)


def role_rows(policy: Policy) -> tuple[RoleRow, ...]:
    """Show the role table, in the order of names."""
    return tuple(_role_row(policy, role) for role in sorted(policy.roles, key=_name))


def project_rows(workspace: str, roles: tuple[ProjectRole, ...]) -> tuple[ProjectRoleRow, ...]:
    """Show the roles that a workspace brings along, in the order of their files."""
    return tuple(_project_row(workspace, role) for role in roles)


def agent_rows(policy: Policy) -> tuple[AgentRow, ...]:
    """Show the agent table, without command lines and environments: they may hold secrets."""
    return tuple(_agent_row(policy, agent) for agent in sorted(policy.agents, key=_name))


def _name(entry: Role | AgentProfile) -> str:
    return entry.name


def _stopped(node: Node) -> StoppedNode:
    return StoppedNode(
        node_id=node.node_id,
        state=node.status,
        forced=node.forced,
        leftovers=node.leftovers,
    )


def _short(node: StoppedNode) -> StoppedNode:
    words = tuple(fit_text(word, DETAIL_BYTES // 5) for word in node.leftovers)
    return replace(node, leftovers=fit_items(words, DETAIL_BYTES))


def _short_fault(fault: FieldFault) -> FieldFault:
    path, problem = fit_text(fault.path, DETAIL_BYTES // 5), fit_text(fault.problem, DETAIL_BYTES)
    return FieldFault(path=path, problem=problem)


def _role_row(policy: Policy, role: Role) -> RoleRow:
    agent = policy.agent_for(role.tier)
    return RoleRow(
        name=role.name,
        tier=role.tier,
        agent=agent.name if agent is not None else "",
        depth_cap=role.depth_cap,
        tools=role.tools,
        report_delivery=role.report_delivery,
        token_cap=role.token_cap,
        max_report_tokens=role.max_report_tokens,
        required_sections=role.required_sections,
        max_live=role.max_live,
    )


def _project_row(workspace: str, brought: ProjectRole) -> ProjectRoleRow:
    role = brought.role
    return ProjectRoleRow(
        name=brought.name,
        workspace=workspace,
        file=brought.file,
        state=brought.state,
        digest=brought.digest,
        extends=role.extends if role is not None else "",
        tools=role.tools if role is not None else (),
        description=brought.description,
        problem=brought.problem,
        warnings=brought.warnings,
    )


def _agent_row(policy: Policy, agent: AgentProfile) -> AgentRow:
    return AgentRow(
        name=agent.name,
        runner=agent.runner,
        tiers=tuple(tier for tier, name in policy.tiers if name == agent.name),
        takes_steer=agent.takes_steer,
        takes_schema=agent.takes_schema,
        scripted=agent.runner == "scripted",
    )
