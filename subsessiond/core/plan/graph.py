"""Which step waits for which."""

from collections.abc import Mapping

from subsessiond.core.plan.fields import mentions_of
from subsessiond.model.plan import Plan, PlanStep

Needs = Mapping[str, frozenset[str]]
"""Of each step the steps that it waits for directly."""


def needed_by(step: PlanStep) -> frozenset[str]:
    """Name what a step waits for: what it says, and whose fields it is told."""
    told = (mention.step for mention in mentions_of(step.brief.mission))
    return frozenset((*step.after, *told))


def needs_of(plan: Plan) -> Needs:
    """Give the whole graph."""
    return {step.name: needed_by(step) for step in plan.steps}


def circle_in(needs: Needs) -> tuple[str, ...]:
    """Give the steps of one circle, its first also last; empty where there is none."""
    left = {name: set(before) & set(needs) for name, before in needs.items()}
    while ready := [name for name, before in left.items() if not before]:
        for name in ready:
            del left[name]
        for before in left.values():
            before.difference_update(ready)
    if not left:
        return ()
    # All that is left waits for something that is left: whoever follows that runs in a circle.
    trail = [min(left)]
    while True:
        following = min(left[trail[-1]])
        if following in trail:
            return (*trail[trail.index(following) :], following)
        trail.append(following)


def all_before(needs: Needs) -> Needs:
    """Give of each step all that is over before it begins; only of a graph without circles."""
    known: dict[str, frozenset[str]] = {}

    def before(name: str) -> frozenset[str]:
        if name not in known:
            direct = needs.get(name, frozenset())
            known[name] = direct.union(*(before(one) for one in direct))
        return known[name]

    return {name: before(name) for name in needs}
