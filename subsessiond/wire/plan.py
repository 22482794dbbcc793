"""Reads a plan, naming every bad field at once."""

import re
from typing import Annotated, Any, Final

from pydantic import Field, field_validator
from pydantic_core import PydanticCustomError

from subsessiond.model.brief import Brief, FieldFault
from subsessiond.model.plan import Plan, PlanStep
from subsessiond.model.policy import Limits
from subsessiond.wire.brief import parse_brief
from subsessiond.wire.faults import read_fields
from subsessiond.wire.params import Params
from subsessiond.wire.text import (
    KIB,
    Key,
    Listed,
    Maybe,
    NodeIdText,
    Positive,
    RoleName,
    Sized,
    Title,
    WaitMs,
)

STEPS_MOST: Final = 50
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


class StepFields(Params):
    """One child of a plan."""

    role: RoleName
    """Row of the role table."""
    brief: dict[str, Any]
    """The order it starts with (`Brief`); its mission may hold `{{step.output}}` and the like."""
    after: Maybe[Annotated[Listed[str], Field(max_length=STEPS_MOST)]] = None
    """Steps that have to be completed first, beside those that its mission names."""


class PlanFields(Params):
    """A graph of briefs."""

    steps: Annotated[dict[str, StepFields], Field(min_length=1, max_length=STEPS_MOST)]
    """By their names: letters, digits, `-` and `_`, at most 40."""
    report: Maybe[Annotated[str, Sized(1, 8 * KIB)]] = None
    """What the parent is told in the end, with fields of steps; absent, what the last steps said.
    """

    @field_validator("steps")
    @classmethod
    def _check_names(cls, value: dict[str, StepFields]) -> dict[str, StepFields]:
        if not all(NAME.fullmatch(name) for name in value):
            problem = "are named by letters, digits, - and _, at most 40 of them"
            raise PydanticCustomError("spelling", problem)
        return value


def parse_plan(raw: Any, limits: Limits) -> Plan | tuple[FieldFault, ...]:
    """Read a plan.

    Args:
        raw: Parsed JSON, as it came.
        limits: Bounds that the operator may have changed.

    Returns:
        The plan, or every bad field by path (`steps.a.brief.mission`), never a value.
    """
    fields = read_fields(PlanFields, raw)
    if isinstance(fields, tuple):
        return fields
    steps, faults = [], []
    for name, step in fields.steps.items():
        brief = parse_brief(step.brief, limits)
        if isinstance(brief, Brief):
            steps.append(PlanStep(name=name, role=step.role, brief=brief, after=step.after or ()))
        else:
            faults += [
                FieldFault(path=f"steps.{name}.{one.path}", problem=one.problem) for one in brief
            ]
        if step.brief.get("continues") is not None:
            problem = "is not for the steps of a plan: the plan itself is continued"
            faults.append(FieldFault(path=f"steps.{name}.brief.continues", problem=problem))
    return tuple(faults) or Plan(steps=tuple(steps), report=fields.report)


class PlanParams(Params):
    """A plan to carry out as one child."""

    plan: dict[str, Any]
    """The graph of briefs (`PlanFields`)."""
    parent_id: Maybe[NodeIdText] = None
    """The operator names the parent; a node's own is derived and may not be another."""
    role: Maybe[RoleName] = None
    """Instead of `plan`: another role whose agent is a plan."""
    title: Maybe[Title] = None
    """One line for people."""
    token_cap: Maybe[Positive] = None
    """For all steps together; absent, what they need."""
    max_report_tokens: Maybe[Annotated[int, Field(ge=50, le=8_000)]] = None
    """Bound of the one report that the parent is told, in estimated tokens."""
    idempotency_key: Maybe[Key] = None
    """The same key and plan give the same child again."""
    wait_ms: Maybe[WaitMs] = None
    """Wait so long for it to be running; absent, the admission is answered."""
    check_only: Maybe[bool] = None
    """Run every check and start nothing."""
