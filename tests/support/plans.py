"""Plans for tests."""

import json
from typing import Any

from subsessiond.model.brief import FieldFault
from subsessiond.model.plan import Plan
from subsessiond.model.policy import Limits
from subsessiond.wire.plan import parse_plan

FINAL = {"report": {"output": "done", "stage": "final", "outcome": "completed"}}


def step(
    mission: str = "Do it.", *after: str, role: str = "worker", **brief: Any
) -> dict[str, Any]:
    """Write one step."""
    found: dict[str, Any] = {"role": role, "brief": {"mission": mission, **brief}}
    return {**found, "after": list(after)} if after else found


def a_plan(report: str | None = None, /, **steps: dict[str, Any]) -> Plan:
    """Read a plan of these steps."""
    raw = {"steps": steps} if report is None else {"steps": steps, "report": report}
    found = parse_plan(raw, Limits())
    assert isinstance(found, Plan), found
    return found


def paths(faults: tuple[FieldFault, ...]) -> list[str]:
    """Give where the faults are."""
    return [fault.path for fault in faults]


def scripted(*steps: dict[str, Any]) -> str:
    """Write the mission of a child that plays a script."""
    return json.dumps({"steps": steps})
