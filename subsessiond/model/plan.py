"""A plan: briefs that begin when those before them are done, filled in with what these reported."""

from subsessiond.model.base import Value
from subsessiond.model.brief import Brief


class PlanStep(Value, frozen=True, kw_only=True):
    """One child of a plan."""

    name: str
    role: str
    brief: Brief
    """Its mission may hold `{{step.field}}`: a field of what an earlier step reported."""
    after: tuple[str, ...] = ()
    """Steps that have to be completed first, beside those that its mission names."""


class Plan(Value, frozen=True, kw_only=True):
    """A graph of steps; none of them begins before the whole was checked."""

    steps: tuple[PlanStep, ...]
    """In the order in which they were given."""
    report: str | None = None
    """What the parent is told in the end, filled in like a mission; none = a line a step."""
