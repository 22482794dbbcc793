"""The spawn decision on a tree with many unreleased claims: `core.decide` alone, no disk, no loop.

Times are of the processor: a decision waits for nothing, so other work on the machine is left out.
"""

import time
from collections.abc import Callable, Iterator
from itertools import count
from statistics import median

from scripts.measure.table import Row, Scale, percentile
from subsessiond.core.decide import decide
from subsessiond.model.brief import Brief
from subsessiond.model.commands import Caller, OpenRoot, Spawn
from subsessiond.model.decision import Admitted, Decided
from subsessiond.model.ids import NodeId
from subsessiond.model.planned import PlannedPaths
from subsessiond.model.policy import Policy
from subsessiond.model.tree import Tree
from tests.support import claims
from tests.support.playbook import id_of
from tests.support.policies import a_policy

FEW, MANY = 100, 10_000
CHILDREN = 100
"""Children of one root; the roots share a workspace."""
LIMIT_MS = 2.0
TIMES = 3.0
DECISIONS = 400

FAMILIES: dict[str, Callable[[int], tuple[str, ...]]] = {
    "spawn": claims.ordinary,
    "spawn-front": claims.alike_in_front,
    "spawn-folder": claims.one_folder,
    "spawn-star": claims.behind_a_star,
}
"""Globs as projects have them, and three shapes that are hard to tell apart."""
SAY = {
    "spawn": "as in projects",
    "spawn-front": "same front",
    "spawn-folder": "one folder",
    "spawn-star": "behind a star",
}
ROWS = tuple(row for name in FAMILIES for row in (name, f"{name}-ratio"))

_numbers = count(1)
OPERATOR = Caller(may_grant=True)


def measure(scale: Scale) -> list[Row]:
    """Measure the decision for each family of globs; a quick run takes the first alone."""
    names = list(FAMILIES)[:1] if scale.quick else list(FAMILIES)
    return [row for name in names for row in _family(name)]


def _family(name: str) -> Iterator[Row]:
    texts_of, policy = FAMILIES[name], _policy()
    few, many = _tree(policy, texts_of, FEW), _tree(policy, texts_of, MANY)
    took: dict[int, list[float]] = {FEW: [], MANY: []}
    for n in range(DECISIONS):
        for size, (tree, root) in ((FEW, few), (MANY, many)):
            took[size].append(_decision_ms(tree, policy, root, texts_of(MANY + 1 + n)))
    p99 = {size: percentile(times, 0.99) for size, times in took.items()}
    p50 = {size: median(times) for size, times in took.items()}
    what = f"spawn decision, {MANY:,} claims, {SAY[name]}, p99"
    yield Row(
        name,
        what,
        f"≤ {LIMIT_MS:.0f} ms",
        "ms",
        ours=p99[MANY],
        met=p99[MANY] <= LIMIT_MS,
        note=f"p50 {p50[MANY]:.3f} ms; processor time",
    )
    yield Row(
        f"{name}-ratio",
        f"  beside {FEW} claims, p99",
        f"≤ {TIMES:.0f} × at {FEW}",
        "ms",
        ours=p99[MANY],
        ceiling=p99[FEW],
        ratio=p99[MANY] / p99[FEW],
        met=p99[MANY] <= TIMES * p99[FEW],
        note=f"p50 {p50[MANY]:.3f} and {p50[FEW]:.3f} ms",
    )


def _policy() -> Policy:
    return a_policy(
        live_per_parent=None,
        live_per_tree=None,
        live_total=None,
        spawns_per_tree=None,
        spawn_burst=10**9,
        spawns_per_second=10**9,
        root_token_cap=10**12,
    )


def _tree(
    policy: Policy, texts_of: Callable[[int], tuple[str, ...]], size: int
) -> tuple[Tree, NodeId]:
    """Let so many children be admitted; gives the tree and a root of it without children."""
    tree, root = Tree(), NodeId("")
    for n in range(size):
        if n % CHILDREN == 0:
            tree, root = _opened(tree, policy)
        decided = decide(tree, policy, _spawn(root, texts_of(n)))
        tree = _admitted(decided)
    return _opened(tree, policy)


def tree_without_claims(size: int) -> Tree:
    """Give a tree of so many children that only read."""
    return _tree(_policy(), lambda _: (), size)[0]


def _opened(tree: Tree, policy: Policy) -> tuple[Tree, NodeId]:
    name = id_of(next(_numbers))
    command = OpenRoot(caller=OPERATOR, new_id=name, workspace="/project", at_ms=1, awake_ms=1)
    return decide(tree, policy, command).tree, name


def _spawn(root: NodeId, globs: tuple[str, ...]) -> Spawn:
    return Spawn(
        caller=OPERATOR,
        new_id=id_of(next(_numbers)),
        parent=root,
        role="worker",
        brief=Brief(mission="Do it.", owned_globs=globs),
        paths=PlannedPaths(owns=globs, spelled=globs),
        fingerprint="f" * 64,
        at_ms=1,
        awake_ms=1,
    )


def _decision_ms(tree: Tree, policy: Policy, root: NodeId, globs: tuple[str, ...]) -> float:
    command = _spawn(root, globs)
    begin = time.thread_time_ns()
    decided = decide(tree, policy, command)
    took = time.thread_time_ns() - begin
    _admitted(decided)
    return took / 1e6


def _admitted(decided: Decided) -> Tree:
    """Give the tree after an admission; anything else would be another measurement."""
    assert isinstance(decided.reply, Admitted), decided.reply
    return decided.tree
