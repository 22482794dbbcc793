"""Policies and briefs for tests: four roles, and agents that nobody starts."""

from typing import Any, Final

from msgspec.structs import replace

from subsessiond.model.brief import Brief, FieldFault, ReportContract
from subsessiond.model.planned import PlannedPaths
from subsessiond.model.policy import Limits, Policy
from subsessiond.model.projectrole import ProjectRole
from subsessiond.model.role import AgentProfile, Role, ToolClass

ALL_TOOLS: Final = tuple(ToolClass)
LEAF_TOOLS: Final = tuple(tool for tool in ToolClass if tool is not ToolClass.DELEGATE)
READ_TOOLS: Final = (ToolClass.READ, ToolClass.FETCH, ToolClass.SEARCH, ToolClass.THINK)

LEAD: Final = Role(name="lead", tier="strong", depth_cap=2, tools=ALL_TOOLS, token_cap=1_000_000)
WORKER: Final = Role(name="worker", tier="strong", tools=LEAF_TOOLS)
READER: Final = Role(name="reader", tier="cheap", tools=READ_TOOLS)
CHECK: Final = Role(
    name="check",
    tier="command",
    tools=(ToolClass.READ, ToolClass.EXECUTE),
    token_cap=20_000,
)

ACTOR: Final = AgentProfile(name="actor", runner="scripted", takes_steer=True)
MUTE: Final = AgentProfile(name="mute", runner="scripted")
COMMAND: Final = AgentProfile(
    name="command", runner="command", takes_schema=False, takes_operator_argv=True
)

GUEST: Final = AgentProfile(name="guest", runner="external")
JOINED: Final = Role(name="joined", tier="guest", tools=LEAF_TOOLS, token_cap=20_000)
"""For `a_policy(JOINED, agents=(GUEST,))`: children that somebody else runs."""

TIERS: Final = (("strong", "actor"), ("cheap", "mute"), ("command", "command"), ("guest", "guest"))


def a_policy(*more_roles: Role, agents: tuple[AgentProfile, ...] = (), **limits: Any) -> Policy:
    """Make the policy of the tests; a role or an agent given here replaces one of its name.

    Args:
        more_roles: Rows beside `lead`, `worker`, `reader` and `check`.
        agents: Profiles beside `actor`, `mute` and `command`.
        limits: Fields of `Limits` that differ from the defaults.
    """
    roles = {role.name: role for role in (LEAD, WORKER, READER, CHECK, *more_roles)}
    profiles = {agent.name: agent for agent in (ACTOR, MUTE, COMMAND, *agents)}
    return Policy(
        limits=replace(Limits(), **limits),
        roles=tuple(roles.values()),
        agents=tuple(profiles.values()),
        tiers=TIERS,
        checks=("tests",),
    )


def brief(owns: tuple[str, ...] = (), **fields: Any) -> Brief:
    """Make a brief; `report_tokens`, `sections` and `schema` go into its contract."""
    contract = ReportContract(
        required_sections=fields.pop("sections", None),
        max_report_tokens=fields.pop("report_tokens", None),
        output_schema=fields.pop("schema", None),
    )
    fields.setdefault("mission", "Do it.")
    return Brief(owned_globs=owns, report_contract=contract, **fields)


def wrong(paths: tuple[str, ...]) -> tuple[FieldFault, ...]:
    """Make a fault of each field."""
    return tuple(FieldFault(path=path, problem="is wrong") for path in paths)


def planned(
    owns: str | tuple[str, ...],
    spelled: tuple[str, ...],
    faults: tuple[str, ...],
    project: ProjectRole | None,
) -> PlannedPaths:
    """Make what the disk says: patterns in normal form, as they were spelled, a role."""
    own = (owns,) if isinstance(owns, str) else owns
    return PlannedPaths(owns=own, spelled=spelled or own, faults=wrong(faults), project=project)
