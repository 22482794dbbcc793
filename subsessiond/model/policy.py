"""What the operator's configuration allows, as values that are stamped on decisions."""

from subsessiond.model.base import Value
from subsessiond.model.projectrole import RoleBases
from subsessiond.model.role import AgentProfile, Role

KIB = 1024


class Limits(Value, frozen=True, kw_only=True):
    """Every bound that a decision knows. 0 means zero; `None` is written "unlimited"."""

    mission_bytes: int = 32 * KIB
    root_depth: int = 8
    root_token_cap: int = 5_000_000
    live_per_parent: int | None = 5
    live_per_tree: int | None = 20
    live_total: int | None = 50
    spawns_per_tree: int | None = 200
    spawn_burst: int = 8
    spawns_per_second: int = 2
    live_writers: int | None = None
    """Live nodes with claims in one workspace; 1 = read in parallel, write in series."""
    generations: int = 5
    progress_tokens: int = 200
    progress_delivered: int = 20
    progress_burst: int = 5
    progress_interval_ms: int = 5_000
    findings_delivered: int = 10
    wake_tokens: int = 8_000
    node_view_tokens: int = 10_000
    answer_tokens: int = 4_000
    steer_tokens: int = 2_000
    steers_waiting: int = 100
    """Messages that may wait unread in one child's mailbox."""
    answer_bytes: int = 2 * KIB
    checkpoint_bytes: int = 256 * KIB
    diagnostic_bytes: int = 4_096
    start_timeout_ms: int = 60_000
    attach_timeout_ms: int = 24 * 3_600_000
    """How long a child of the runner `external` waits for its process, unless its brief has a
    deadline of its own.
    """
    root_idle_ms: int = 7 * 24 * 3_600_000
    """A root nobody came back to, with nothing live below and no unread mail, is closed then."""
    root_kept_ms: int = 600_000
    """How long a closed root stays in memory, for those who still look at it."""


class Policy(Value, frozen=True, kw_only=True):
    """Roles, agents and limits, as one immutable value."""

    limits: Limits = Limits()
    roles: tuple[Role, ...] = ()
    agents: tuple[AgentProfile, ...] = ()
    tiers: tuple[tuple[str, str], ...] = ()
    """Tier to the name of its agent profile."""
    checks: tuple[str, ...] = ()
    """Names of the operator's own checks, which `verify` may name."""
    fold_case: bool = False
    project_bases: RoleBases = RoleBases()
    """Rows that the roles of a workspace extend."""

    def role(self, name: str) -> Role | None:
        """Look a role up by name."""
        return next((role for role in self.roles if role.name == name), None)

    def agent_for(self, tier: str) -> AgentProfile | None:
        """Look up the agent profile that serves a tier."""
        name = next((agent for key, agent in self.tiers if key == tier), None)
        return next((agent for agent in self.agents if agent.name == name), None)
