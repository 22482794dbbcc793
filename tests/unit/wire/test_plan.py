"""`wire.plan`."""

from typing import Any

import pytest

from subsessiond.model.plan import Plan
from subsessiond.model.policy import Limits
from subsessiond.wire.plan import STEPS_MOST, parse_plan
from tests.support.plans import paths, step


def read(raw: Any) -> Plan | list[str]:
    """Read a plan; gives where the faults are instead."""
    found = parse_plan(raw, Limits())
    return found if isinstance(found, Plan) else paths(found)


def test_steps_keep_the_order_in_which_they_were_given() -> None:
    """It decides who is begun first of those that may."""
    found = read({"steps": {"z": step(), "a": step("x", "z")}, "report": "{{a.output}}"})
    assert isinstance(found, Plan)
    assert [one.name for one in found.steps] == ["z", "a"]
    assert found.steps[1].after == ("z",)
    assert found.report == "{{a.output}}"


@pytest.mark.parametrize(
    ("raw", "where"),
    [
        ([], [""]),
        ({}, ["steps"]),
        ({"steps": {}}, ["steps"]),
        ({"steps": {"a b": step()}}, ["steps"]),
        ({"steps": {"../a": step()}}, ["steps"]),
        ({"steps": {"a": step()}, "more": 1}, ["more"]),
        ({"steps": {"a": {"role": "worker"}}}, ["steps.a.brief"]),
        ({"steps": {"a": step("")}}, ["steps.a.brief.mission"]),
        (
            {"steps": {"a": step(tokenCap=0, more=1)}},
            ["steps.a.brief.tokenCap", "steps.a.brief.more"],
        ),
        ({"steps": {"a": step(continues="x")}}, ["steps.a.brief.continues"] * 2),
        ({"steps": {"a": {**step(), "after": [1]}}}, ["steps.a.after[0]"]),
        ({"steps": {"a": step()}, "report": ""}, ["report"]),
        ({"steps": {f"s{n}": step() for n in range(STEPS_MOST + 1)}}, ["steps"]),
    ],
)
def test_every_bad_field_is_named(raw: Any, where: list[str]) -> None:
    """By its path; a name of a step that is no plain word is not repeated."""
    assert read(raw) == where
