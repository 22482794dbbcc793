"""`subsession.plan`: a graph of briefs becomes one child, checked whole before it is admitted."""

import asyncio
from typing import Any

from subsessiond.core.plan.check import claims_of, faults_of, needed_tokens
from subsessiond.core.words import compact
from subsessiond.model.brief import FieldFault
from subsessiond.model.plan import Plan
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.view import SpawnAnswer
from subsessiond.rpc.call import Call
from subsessiond.rpc.desk import Desk
from subsessiond.rpc.methods.spawn import spawn
from subsessiond.rpc.refused import Refused
from subsessiond.wire.params import SpawnParams
from subsessiond.wire.plan import PlanParams, parse_plan

ROLE = "plan"


async def plan(desk: Desk, call: Call, params: PlanParams) -> SpawnAnswer:
    """Admit a plan; answered when that is durable, with `waitMs` when it is under way."""
    found = parse_plan(params.plan, desk.limits)
    if not isinstance(found, Plan):
        raise _refused(found)
    policy = desk.registry.policy
    # Why in a thread: patterns of steps that may run side by side are compared, up to a bound.
    if faults := await asyncio.to_thread(faults_of, found, policy):
        raise _refused(faults)
    mission = compact(params.plan)
    if faults := _size_faults(mission, desk.limits.mission_bytes):
        raise _refused(faults)
    return await spawn(desk, call, _as_spawn(desk, params, found, mission))


def _as_spawn(desk: Desk, params: PlanParams, found: Plan, mission: str) -> SpawnParams:
    tokens = params.max_report_tokens
    brief: dict[str, Any] = {
        "mission": mission,
        "title": params.title,
        "ownedGlobs": list(claims_of(found)) or None,
        "tokenCap": params.token_cap or needed_tokens(found, desk.registry.policy, tokens),
        "reportContract": None if tokens is None else {"maxReportTokens": tokens},
    }
    given = {
        "parentId": params.parent_id,
        "idempotencyKey": params.idempotency_key,
        "waitMs": params.wait_ms,
        "checkOnly": params.check_only,
    }
    return SpawnParams(role=params.role or ROLE, brief=_without_none(brief), **_without_none(given))


def _without_none(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _size_faults(mission: str, limit: int) -> tuple[FieldFault, ...]:
    size = len(mission.encode())
    problem = f"is {size} bytes long, more than {limit}"
    return (FieldFault(path="", problem=problem),) if size > limit else ()


def _refused(faults: tuple[FieldFault, ...]) -> Refused:
    named = tuple(
        FieldFault(path=f"plan.{one.path}".rstrip("."), problem=one.problem) for one in faults
    )
    return Refused(Rejection(code=Code.BRIEF_INVALID, step="plan", fields=named))
