"""Roles and agents: what a spawn may name, and what the operator's configuration makes of it."""

from enum import StrEnum

from subsessiond.model.base import Value


class ToolClass(StrEnum):
    """The eight words in which policy speaks of an agent's tools."""

    READ = "read"
    EDIT = "edit"
    DELETE = "delete"
    EXECUTE = "execute"
    FETCH = "fetch"
    SEARCH = "search"
    THINK = "think"
    DELEGATE = "delegate"


class Delivery(StrEnum):
    """How an accepted report reaches the parent."""

    NEXT_STEP = "next-step"
    QUIET = "quiet"


class Isolation(StrEnum):
    """Where a child's files are."""

    SHARED = "shared"
    WORKTREE = "worktree"


class Role(Value, frozen=True, kw_only=True):
    """One row of the role table, as the operator configured it."""

    name: str
    tier: str
    depth_cap: int = 0
    """Levels that may grow below a node of this role; 0 is a leaf."""
    tools: tuple[ToolClass, ...] = ()
    """Tool classes its nodes may use; `deny_tools` is already taken off."""
    report_delivery: Delivery = Delivery.NEXT_STEP
    verify: tuple[str, ...] = ()
    max_live: int | None = None
    """Live nodes of this role in one tree; none = only the general caps."""
    retire_timeout_ms: int = 600_000
    tool_timeout_ms: int = 1_800_000
    isolation: Isolation = Isolation.SHARED
    token_cap: int = 200_000
    max_report_tokens: int = 600
    required_sections: tuple[str, ...] = ()

    @property
    def is_leaf(self) -> bool:
        """A leaf can never delegate."""
        return self.depth_cap == 0


class AgentProfile(Value, frozen=True, kw_only=True):
    """How nodes of one tier are run."""

    name: str
    runner: str
    """`command`, `scripted`, later `acp`, `jsonl`, …"""
    command: tuple[str, ...] = ()
    """The command line; for `scripted` the script file."""
    env: tuple[tuple[str, str], ...] = ()
    brief_by: str = "stdin"
    """`stdin` or `argument`: how the opening text reaches the process."""
    takes_schema: bool = True
    takes_steer: bool = False
    takes_operator_argv: bool = False
    """Whether an operator may give the command line with the spawn."""
