"""Caps on how many live at once. 0 means zero; no limit has to be spelled."""

from subsessiond.core.case import SpawnCase
from subsessiond.core.nesting import around
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.role import Role


def check_concurrency(case: SpawnCase) -> Rejection | None:
    """Refuse when any cap is reached; says which, how many live, and the limit."""
    for which, live, limit in _counts(case):
        if limit is not None and live >= limit:
            return _full(which, limit, live)
    return _check_pace(case)


def _full(which: str, limit: int, actual: int) -> Rejection:
    hopeless = limit == 0 or which == EVER
    return Rejection(
        code=Code.CONCURRENCY_EXCEEDED,
        step="concurrency",
        detail=f"{which}; no more are allowed" if hopeless else which,
        limit=limit,
        actual=actual,
        hopeless=hopeless,
    )


EVER = "nodes ever in one tree"
"""The one count that settling does not lower."""


def _counts(case: SpawnCase) -> tuple[tuple[str, int, int | None], ...]:
    tree, limits, parent = case.tree, case.policy.limits, case.parent
    siblings = tree.live_below.get(parent.node_id, 0)
    of_role = case.role.max_live if case.role else None
    most_writers = limits.live_writers if case.command.paths.owns else None
    writers = 0 if most_writers is None else _writers(case)
    return (
        ("children of one parent", siblings, limits.live_per_parent),
        ("nodes of one tree", tree.live_in.get(parent.root, 0), limits.live_per_tree),
        ("nodes of this daemon", tree.live_total, limits.live_total),
        (EVER, tree.spawned_in.get(parent.root, 0), limits.spawns_per_tree),
        ("nodes of this role in one tree", _of_role(case), of_role),
        ("writers in one workspace", writers, most_writers),
    )


def _writers(case: SpawnCase) -> int:
    """Count live writers in the workspace, and in those that lie in it or hold it."""
    counts, fold = case.tree.writers, case.policy.fold_case
    near = around(case.parent.workspace, counts, fold_case=fold)
    return sum(counts[one.workspace] for one in near)


def _of_role(case: SpawnCase) -> int:
    if case.role is None or case.role.max_live is None:
        return 0
    nodes = (case.tree.nodes[node_id] for node_id in sorted(case.tree.live))
    name = _row_of(case.role)
    return sum(
        node.root == case.parent.root and node.role is not None and _row_of(node.role) == name
        for node in nodes
    )


def _row_of(role: Role) -> str:
    """Give the row of the table that a role is, or extends: its limit is for all of them."""
    return role.extends or role.name


def interval_ms(case: SpawnCase) -> int:
    """Milliseconds between two admissions of one tree on the steady pace."""
    return 1_000 // max(1, case.policy.limits.spawns_per_second)


def next_pace_ms(case: SpawnCase) -> int:
    """The awake clock at which the tree is back on pace after one more admission."""
    known = case.tree.pace.get(case.parent.root, 0)
    return max(known, case.command.awake_ms) + interval_ms(case)


def _check_pace(case: SpawnCase) -> Rejection | None:
    limits = case.policy.limits
    rate = limits.spawns_per_second
    if rate == 0:
        return _full("admissions a second", 0, 0)
    ahead = next_pace_ms(case) - case.command.awake_ms
    most = limits.spawn_burst * interval_ms(case)
    if ahead <= most:
        return None
    detail = f"admissions a second after a burst of {limits.spawn_burst}"
    return Rejection(
        code=Code.CONCURRENCY_EXCEEDED,
        step="concurrency",
        detail=detail,
        limit=rate,
        actual=rate + 1,
        retry_after_ms=ahead - most,
        hopeless=limits.spawn_burst == 0,
    )
