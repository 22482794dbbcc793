"""Caps on how many live at once. 0 means zero; no limit has to be spelled."""

from subsessiond.core.case import SpawnCase
from subsessiond.model.rejection import Code, Rejection


def check_concurrency(case: SpawnCase) -> Rejection | None:
    """Refuse when any cap is reached; says which, how many live, and the limit."""
    for which, live, limit in _counts(case):
        if limit is not None and live >= limit:
            detail = f"{which}; wait until one has settled"
            return _refusal(detail, limit, live)
    return _check_pace(case)


def _refusal(detail: str, limit: int, actual: int, wait_ms: int | None = None) -> Rejection:
    return Rejection(
        code=Code.CONCURRENCY_EXCEEDED,
        step="concurrency",
        detail=detail,
        limit=limit,
        actual=actual,
        retry_after_ms=wait_ms,
    )


def _counts(case: SpawnCase) -> tuple[tuple[str, int, int | None], ...]:
    tree, limits, parent = case.tree, case.policy.limits, case.parent
    siblings = tree.live_below.get(parent.node_id, 0)
    of_role = case.role.max_live if case.role else None
    most_writers = limits.live_writers if case.command.paths.owns else None
    writers = tree.writers.get(parent.workspace, 0)
    return (
        ("children of one parent", siblings, limits.live_per_parent),
        ("nodes of one tree", tree.live_in.get(parent.root, 0), limits.live_per_tree),
        ("nodes of this daemon", tree.live_total, limits.live_total),
        ("nodes ever in one tree", tree.spawned_in.get(parent.root, 0), limits.spawns_per_tree),
        ("nodes of this role in one tree", _of_role(case), of_role),
        ("writers in one workspace", writers, most_writers),
    )


def _of_role(case: SpawnCase) -> int:
    if case.role is None or case.role.max_live is None:
        return 0
    nodes = (case.tree.nodes[node_id] for node_id in sorted(case.tree.live))
    return sum(
        node.root == case.parent.root and node.role is not None and node.role.name == case.role.name
        for node in nodes
    )


def interval_ms(case: SpawnCase) -> int:
    """Milliseconds between two admissions of one tree on the steady pace."""
    return 1_000 // max(1, case.policy.limits.spawns_per_second)


def next_pace_ms(case: SpawnCase) -> int:
    """The awake clock at which the tree is back on pace after one more admission."""
    known = case.tree.pace.get(case.parent.root, 0)
    return max(known, case.command.awake_ms) + interval_ms(case)


def _check_pace(case: SpawnCase) -> Rejection | None:
    limits = case.policy.limits
    ahead = next_pace_ms(case) - case.command.awake_ms
    most = limits.spawn_burst * interval_ms(case)
    if ahead <= most:
        return None
    detail = f"admissions a second after a burst of {limits.spawn_burst}"
    rate = limits.spawns_per_second
    return _refusal(detail, rate, rate + 1, ahead - most)
