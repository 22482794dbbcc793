"""Everything that is wrong with a plan, named at once, before anything of it begins."""

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from subsessiond.core.bounds import bytes_of_tokens, one_line, size_bytes
from subsessiond.core.case import ROLE_DEFAULTS
from subsessiond.core.plan.fields import is_known, mentions_of
from subsessiond.core.plan.graph import Needs, all_before, circle_in, needs_of
from subsessiond.core.projectrole import PREFIX
from subsessiond.core.scope import Pattern, PatternFault, intersect, parse_pattern
from subsessiond.model.brief import FieldFault
from subsessiond.model.plan import Plan, PlanStep
from subsessiond.model.policy import Policy

PAIR_STEPS: Final = 2_000
"""For each two patterns that are compared; what takes longer counts as meeting."""
PAIRS_MOST: Final = 20_000
"""Pairs of patterns of steps that may run side by side: about a second where each is hostile."""
SAID_BYTES: Final = 60
"""Of a word of the plan's own that is named, which may be as long as a mission."""


def faults_of(plan: Plan, policy: Policy) -> tuple[FieldFault, ...]:
    """Name every fault of a plan by its field."""
    needs = needs_of(plan)
    found = [*_roles_unfit(plan, policy), *grave_faults_of(plan, policy)]
    if not found:
        found += _meeting(plan, all_before(needs), fold_case=policy.fold_case)
    return tuple(found)


def grave_faults_of(plan: Plan, policy: Policy) -> tuple[FieldFault, ...]:
    """Name what nothing else judges: what never comes to an end, and missions that grow too long.

    All else is found out when a step is hired.
    """
    needs = needs_of(plan)
    steps = {step.name: step for step in plan.steps}
    found = [
        *_unknown_steps(plan, needs),
        *_unknown_fields(plan, steps),
        *_too_long(plan, steps, policy),
    ]
    if circle := circle_in(needs):
        said = f"wait for each other in a circle: {', '.join(circle)}"
        found.append(FieldFault(path="steps", problem=said))
    return tuple(found)


def claims_of(plan: Plan) -> tuple[str, ...]:
    """Give all files that steps own: the plan owns them, and lends them."""
    return tuple(dict.fromkeys(one for step in plan.steps for one in step.brief.owned_globs))


def needed_tokens(plan: Plan, policy: Policy, report_tokens: int | None) -> int:
    """Give the cap that a plan needs for all of its steps and its own reserve.

    Why the sum, though they do not all run at once: what steps have spent stays spent.
    """
    report = ROLE_DEFAULTS.max_report_tokens if report_tokens is None else report_tokens
    return sum(_cap(step, policy) for step in plan.steps) + 2 * report + 2_000


def _cap(step: PlanStep, policy: Policy) -> int:
    if step.brief.token_cap is not None:
        return step.brief.token_cap
    return next((role.token_cap for role in policy.roles if role.name == step.role), 0)


def _fault(step: PlanStep, field: str, problem: str) -> FieldFault:
    return FieldFault(path=f"steps.{step.name}.{field}", problem=problem)


def _roles_unfit(plan: Plan, policy: Policy) -> Iterator[FieldFault]:
    for step in plan.steps:
        if problem := _problem_of(step.role, policy):
            yield _fault(step, "role", problem)


def _problem_of(name: str, policy: Policy) -> str:
    role = policy.role(name)
    if role is None:
        not_yet = "; roles of a project are not for steps" if name.startswith(PREFIX) else ""
        return f"names no role there is{not_yet}"
    agent = policy.agent_for(role.tier)
    if agent is None:
        return "no agent serves it; name one under [tiers] in agents.toml"
    if agent.runner == "command" and not agent.command:
        return f"its agent {agent.name} has no command line, and a plan gives none"
    return ""


def _unknown_steps(plan: Plan, needs: Needs) -> Iterator[FieldFault]:
    for step in plan.steps:
        for number, name in enumerate(step.after):
            if name not in needs or name == step.name:
                yield _fault(step, f"after[{number}]", "names no other step")
        if step.name in needs[step.name] and step.name not in step.after:
            yield _fault(step, "brief.mission", "asks for a field of its own step")


def _unknown_fields(plan: Plan, steps: dict[str, PlanStep]) -> Iterator[FieldFault]:
    for place, text in _texts(plan):
        for mention in mentions_of(text):
            asked = steps.get(mention.step)
            if asked is None:
                named = one_line(mention.step, SAID_BYTES)
                problem = f"asks for a field of {named}, which is no step"
                yield FieldFault(path=place, problem=problem)
            elif not is_known(asked, mention.field):
                named = one_line(mention.field, SAID_BYTES)
                problem = f"asks for {named} of {mention.step}, whose report has no such"
                yield FieldFault(path=place, problem=problem)


def _texts(plan: Plan) -> Iterator[tuple[str, str]]:
    for step in plan.steps:
        yield f"steps.{step.name}.brief.mission", step.brief.mission
    if plan.report is not None:
        yield "report", plan.report


def _too_long(plan: Plan, steps: dict[str, PlanStep], policy: Policy) -> Iterator[FieldFault]:
    """Refuse missions that could grow over their bound: by the limits of what they are told."""
    for step in plan.steps:
        most = size_bytes(step.brief.mission)
        for mention in mentions_of(step.brief.mission):
            if mention.step in steps:
                most += bytes_of_tokens(_report_tokens(steps[mention.step], policy))
        limit = policy.limits.mission_bytes
        if most > limit:
            problem = f"may grow to {most} bytes with what it is told, more than {limit}"
            yield _fault(step, "brief.mission", problem)


def _report_tokens(step: PlanStep, policy: Policy) -> int:
    asked = step.brief.report_contract.max_report_tokens
    if asked is not None:
        return asked
    by_role = (role.max_report_tokens for role in policy.roles if role.name == step.role)
    return next(by_role, ROLE_DEFAULTS.max_report_tokens)


def _meeting(plan: Plan, before: Needs, *, fold_case: bool) -> Iterator[FieldFault]:
    """Name steps that may run side by side and could own the same file."""
    beside = [
        (one, other)
        for one, other in combinations(plan.steps, 2)
        if one.name not in before[other.name] and other.name not in before[one.name]
    ]
    # Counted before any is read: reading alone takes seconds of what is far too many.
    pairs = sum(len(one.brief.owned_globs) * len(other.brief.owned_globs) for one, other in beside)
    if pairs > PAIRS_MOST:
        yield FieldFault(path="steps", problem="own more patterns than can be compared")
        return
    claims = {step.name: _patterns(step, fold_case=fold_case) for step in plan.steps}
    for one, other in beside:
        if met := _met(claims[one.name], claims[other.name]):
            said = f"could meet files of {one.name}, which may run at the same time: {met}"
            yield _fault(other, "brief.ownedGlobs", said)


def _patterns(step: PlanStep, *, fold_case: bool) -> tuple[Pattern, ...]:
    parsed = (parse_pattern(text, fold_case=fold_case) for text in step.brief.owned_globs)
    return tuple(one for one in parsed if not isinstance(one, PatternFault))


def _met(left: tuple[Pattern, ...], right: tuple[Pattern, ...]) -> str:
    for one in left:
        for other in right:
            if intersect(one, other, step_budget=PAIR_STEPS) is not None:
                return f"{one_line(one.text, SAID_BYTES)} and {one_line(other.text, SAID_BYTES)}"
    return ""
