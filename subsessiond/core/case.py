"""What the checks of a spawn look at: one snapshot, and the numbers minted from it."""

from functools import cached_property

from subsessiond.core.projectrole import is_project_role
from subsessiond.model.brief import Grant
from subsessiond.model.commands import Spawn
from subsessiond.model.node import Node
from subsessiond.model.policy import Policy
from subsessiond.model.projectrole import RoleState
from subsessiond.model.role import AgentProfile, Isolation, Role
from subsessiond.model.tree import Tree

ROLE_DEFAULTS = Role(name="", tier="")
"""Stands in for the numbers of a role that is not configured, until that is refused."""


WAKE_FRAME_TOKENS = 200
"""Kept free in a wake for what stands around one report; it takes 470 bytes at most."""


class SpawnCase:
    """One spawn beside the tree it would change. Everything here is derived, nothing is claimed."""

    def __init__(
        self,
        *,
        tree: Tree,
        policy: Policy,
        command: Spawn,
        parent: Node,
        predecessor: Node | None = None,
        grant: Grant = Grant(),  # noqa: B008  # a frozen value
        answer: str | None = None,
    ) -> None:
        self.tree = tree
        self.policy = policy
        self.command = command
        self.parent = parent
        self.grant = grant
        self.answer = answer
        brief = command.brief
        if predecessor is None and brief is not None and brief.continues is not None:
            predecessor = tree.nodes.get(brief.continues)
        self.predecessor = predecessor
        self.role = _role(policy, command)
        self.agent: AgentProfile | None = policy.agent_for(self.role.tier) if self.role else None

    @cached_property
    def line(self) -> tuple[Node, ...]:
        """The parent and all above it, nearest first."""
        nodes = [self.parent]
        while (above := nodes[-1].parent) is not None:
            nodes.append(self.tree.nodes[above])
        return tuple(nodes)

    @property
    def role_or_defaults(self) -> Role:
        """The role, or plain numbers where it is unknown."""
        return self.role or ROLE_DEFAULTS

    @property
    def max_report_tokens(self) -> int:
        """Bound of one report of the child: one message always fits a wake of its parent."""
        brief = self.command.brief
        asked = brief.report_contract.max_report_tokens if brief else None
        wanted = asked if asked is not None else self.role_or_defaults.max_report_tokens
        return min(wanted, self.policy.limits.wake_tokens - WAKE_FRAME_TOKENS)

    @property
    def required_sections(self) -> tuple[str, ...]:
        """Sections that a completed final of the child needs."""
        brief = self.command.brief
        asked = brief.report_contract.required_sections if brief else None
        return asked if asked is not None else self.role_or_defaults.required_sections

    @property
    def reserve_tokens(self) -> int:
        """What the child keeps back for its last report."""
        return 2 * self.max_report_tokens + 2_000

    @property
    def token_cap(self) -> int:
        """Declared cap of the child, a grant included."""
        brief = self.command.brief
        asked = brief.token_cap if brief else None
        base = asked if asked is not None else self.role_or_defaults.token_cap
        return base + self.grant.tokens

    @property
    def depth_limit(self) -> int:
        """Levels that may grow below the child at most; negative when it may not be at all."""
        return min(self.parent.depth - 1, self.role_or_defaults.depth_cap)

    @property
    def depth(self) -> int:
        """Levels that may grow below the child."""
        brief = self.command.brief
        wished = brief.depth_allowance if brief else None
        return self.depth_limit if wished is None else wished

    @property
    def isolation(self) -> Isolation:
        """Where the child's files are."""
        brief = self.command.brief
        asked = brief.isolation if brief else None
        return asked or self.role_or_defaults.isolation

    @property
    def granted(self) -> tuple[str, ...]:
        """Normal forms of the patterns an operator granted, however she spelled them."""
        paths, globs = self.command.paths, self.grant.globs
        pairs = zip(paths.spelled, paths.owns, strict=False)
        return (*globs, *(normal for spelled, normal in pairs if spelled in globs))

    @cached_property
    def exempt(self) -> frozenset[str]:
        """Whose claims the child may meet: those above it, and the one it takes over."""
        above = frozenset(node.node_id for node in self.line)
        return above | {self.predecessor.node_id} if self.predecessor else above


def _role(policy: Policy, command: Spawn) -> Role | None:
    """Give the row of the table, or the role of the workspace where that is accepted."""
    if not is_project_role(command.role):
        return policy.role(command.role)
    brought = command.paths.project
    accepted = brought is not None and brought.state is RoleState.ACCEPTED
    return brought.role if brought is not None and accepted else None
