"""The tables and the daemon itself."""

from subsessiond.model.base import Value
from subsessiond.model.projectrole import RoleState
from subsessiond.model.role import Delivery, ToolClass


class RoleRow(Value, frozen=True, kw_only=True):
    """One role that a spawn may name."""

    name: str
    tier: str
    agent: str
    depth_cap: int
    tools: tuple[ToolClass, ...]
    report_delivery: Delivery
    token_cap: int
    max_report_tokens: int
    required_sections: tuple[str, ...] = ()
    max_live: int | None = None


class ProjectRoleRow(Value, frozen=True, kw_only=True):
    """One role that a workspace brings along."""

    name: str
    """`project/` and its own name: what a spawn names, once it is accepted."""
    workspace: str
    file: str
    """Path, relative to the workspace."""
    state: RoleState
    """`accepted`: it may be used; `changed`: it was accepted with other words in it; `unaccepted`;
    `refused`: it is no role, and `problem` says why.
    """
    digest: str = ""
    """SHA-256 of the file: what is accepted."""
    extends: str = ""
    """The row of the table that it is never wider than."""
    tools: tuple[ToolClass, ...] = ()
    description: str = ""
    problem: str = ""
    warnings: tuple[str, ...] = ()
    """What of it is not taken."""


class RolesAnswer(Value, frozen=True, kw_only=True):
    """The role table, and the roles of workspaces: to a node those of its own that are accepted."""

    roles: tuple[RoleRow, ...]
    project: tuple[ProjectRoleRow, ...] = ()
    more: int = 0
    """How many of both are left out."""


class AcceptAnswer(Value, frozen=True, kw_only=True):
    """A role of a workspace may be used."""

    name: str
    workspace: str
    file: str
    digest: str
    warnings: tuple[str, ...] = ()


class AgentRow(Value, frozen=True, kw_only=True):
    """One agent profile, without its command line and environment."""

    name: str
    runner: str
    tiers: tuple[str, ...]
    takes_steer: bool
    takes_schema: bool
    scripted: bool = False
    problem: str = ""
    """Why none of its children could start now; absent where nothing is known against it."""
    program: str = ""
    """For the operator: absolute path of the program that its children are."""


class AgentsAnswer(Value, frozen=True, kw_only=True):
    """The agent table."""

    agents: tuple[AgentRow, ...]
    more: int = 0


class InfoAnswer(Value, frozen=True, kw_only=True):
    """What serves here."""

    name: str
    version: str
    protocol_version: int
    pid: int
    started_at: int
    socket: str
    state_dir: str
    config_dir: str
    containers: str
    scripted: bool = False
    """Some agent is a script and no model."""
    port: int | None = None
    """Of 127.0.0.1, where MCP is served over HTTP; left out while none is open."""


class HealthAnswer(Value, frozen=True, kw_only=True):
    """Whether it serves."""

    ok: bool
    seq: int


class StatsAnswer(Value, frozen=True, kw_only=True):
    """Counts of what is in memory."""

    seq: int
    nodes: int
    roots: int
    live: int
    blocked: int
    unread: int
    """Messages not acknowledged."""
    in_flight: int
    readers: int
    """Connections that follow events."""
    uptime_ms: int


class ShutdownAnswer(Value, frozen=True, kw_only=True):
    """The daemon ends now."""

    stopping: bool


class ReloadAnswer(Value, frozen=True, kw_only=True):
    """The tables were read anew."""

    roles: int
    agents: int
