"""The order of a spawn's checks: by name, and in pairs that fail both."""

from collections.abc import Callable
from itertools import combinations
from typing import Any, Final, NamedTuple

import pytest
from msgspec.structs import replace

from subsessiond.core import spawn as pipeline
from subsessiond.core.decide import decide
from subsessiond.model.commands import Command
from subsessiond.model.node import Node, Status
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.role import Isolation, ToolClass
from tests.support.moves import open_root, spawn
from tests.support.playbook import Play, play
from tests.support.world import started

Change = Callable[[Play], Play]


class Spoiler(NamedTuple):
    """What makes one check fail and no other."""

    name: str
    code: Code
    order: dict[str, Any]
    """Arguments of the spawn."""
    change: Change = lambda now: now
    """What is changed of the play, also into what no event could make of it."""


def parent_with(**changes: Any) -> Change:
    """Change the parent's record."""

    def change(now: Play) -> Play:
        node: Node = replace(now.node("lead"), **changes)
        return replace(now, tree=replace(now.tree, nodes=now.tree.nodes.set(node.node_id, node)))

    return change


def without_tools(now: Play) -> Play:
    """Leave the parent nothing but the right to hire."""
    role = now.node("lead").role
    assert role is not None
    return parent_with(role=replace(role, tools=(ToolClass.DELEGATE,)))(now)


def full(now: Play) -> Play:
    """Let nobody live any more."""
    limits = replace(now.policy.limits, live_total=0)
    return replace(now, policy=replace(now.policy, limits=limits))


SPOILERS: Final = (
    Spoiler("caller", Code.NOT_ALLOWED, {"argv": ("make",)}),
    Spoiler("key", Code.KEY_CONFLICT, {"key": "used", "fingerprint": "another"}),
    Spoiler("parent", Code.PARENT_NOT_LIVE, {}, parent_with(status=Status.SETTLED)),
    Spoiler("stopping", Code.SUBTREE_STOPPING, {}, parent_with(stopping=True)),
    Spoiler("continues", Code.PREDECESSOR_LIVE, {"continues": "live"}),
    Spoiler("brief", Code.BRIEF_INVALID, {"verify": ("rm",)}),
    Spoiler("role", Code.ROLE_UNKNOWN, {"role": "none"}),
    Spoiler("role-safe", Code.ROLE_UNSAFE, {"isolation": Isolation.WORKTREE}),
    Spoiler("depth", Code.DEPTH_EXCEEDED, {"depth_allowance": 9}),
    Spoiler("tools", Code.TOOL_FILTER_REFUSED, {}, without_tools),
    Spoiler("scope", Code.SCOPE_OVERLAP, {"owns": "src/taken"}),
    Spoiler("budget", Code.TREE_BUDGET_EXCEEDED, {"token_cap": 2_000_000}),
    Spoiler("concurrency", Code.CONCURRENCY_EXCEEDED, {}, full),
)
"""One for each step, in the pinned order."""

APART: Final = frozenset({("role", "role-safe"), ("role", "tools")})
"""Pairs that no input fails both of: nothing is known of a role that is not there."""

PAIRS: Final = tuple(
    pair for pair in combinations(SPOILERS, 2) if (pair[0].name, pair[1].name) not in APART
)


def stage() -> Play:
    """Begin with a lead that has two children, one of them with a key."""
    now = play() >> open_root() >> spawn("lead", role="lead", owns="src/**") >> started("lead")
    now = now >> spawn("keyed", under="lead", key="used")
    return now >> spawn("live", under="lead", owns="src/taken") >> started("live")


def verdict(*spoilers: Spoiler) -> Code | None:
    """Decide a spawn that is spoiled in these ways; none is an admission."""
    now = stage()
    order: dict[str, Any] = {"under": "lead"}
    for spoiler in spoilers:
        now = spoiler.change(now)
        order |= spoiler.order
    seen: list[Command] = []
    watching = Watching(seen=seen, **{f: getattr(now, f) for f in Play.__struct_fields__})
    spawn("x", **order)(watching)
    reply = decide(now.tree, now.policy, seen[0]).reply
    return reply.code if isinstance(reply, Rejection) else None


class Watching(Play, frozen=True, kw_only=True):
    """A play that keeps the command instead of deciding it."""

    seen: list[Command]

    def decide(self, command: Command) -> Play:
        """Keep it."""
        self.seen.append(command)
        return self


def test_the_order_of_the_verdict_is_pinned() -> None:
    """By name: brief, role, safety, depth, tools, scope, budget, concurrency."""
    assert [check.__name__ for check in pipeline.CHECKS] == [
        "check_brief",
        "check_role",
        "check_role_safe",
        "check_depth",
        "check_tools",
        "check_scope",
        "check_budget",
        "check_concurrency",
    ]


def test_the_order_before_the_verdict_is_pinned() -> None:
    """By name: the parent lives, nothing is being stopped, the predecessor may be continued."""
    assert [check.__name__ for check in pipeline.AFTER_KEY] == [
        "check_parent",
        "check_stopping",
        "check_continues",
    ]


def test_an_unspoiled_spawn_is_admitted() -> None:
    """Otherwise the pairs would show nothing."""
    assert verdict() is None


@pytest.mark.parametrize("spoiler", SPOILERS, ids=lambda spoiler: spoiler.name)
def test_each_check_refuses_alone(spoiler: Spoiler) -> None:
    """With its own code."""
    assert verdict(spoiler) is spoiler.code


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0].name} {pair[1].name}")
def test_of_two_that_fail_the_earlier_one_refuses(pair: tuple[Spoiler, Spoiler]) -> None:
    """For every pair of checks, whichever order the input was spoiled in."""
    earlier, later = pair
    assert verdict(earlier, later) is earlier.code
    assert verdict(later, earlier) is earlier.code


def test_files_outside_the_parents_come_before_files_of_others() -> None:
    """Both halves of the scope check in one brief: the parent's bound is named first."""
    outside = Spoiler("outside", Code.SCOPE_OUTSIDE_PARENT, {"owns": ("src/taken", "lib")})
    assert verdict(outside) is Code.SCOPE_OUTSIDE_PARENT
