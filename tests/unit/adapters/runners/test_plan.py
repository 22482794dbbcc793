"""`adapters.runners.plan`: how a plan is driven; what it decides stands in `core.plan`."""

import asyncio
import json
from typing import Any

import pytest

from subsessiond.adapters.runners import plan as module
from subsessiond.adapters.runners.plan import PlanChild, PlanRunner
from subsessiond.model.commands import ConfirmStart, EndTurn
from subsessiond.model.node import Status
from subsessiond.model.process import Stopped
from subsessiond.model.report import Outcome
from subsessiond.ports import RunnerFault
from tests.support.plans import step
from tests.support.policies import ACTOR
from tests.support.scripts import until
from tests.support.stage import Stage


async def make(here: Stage, mission: str) -> PlanChild:
    """Make a child with a mission."""
    order = await here.order(ACTOR, role="lead", mission=mission)
    return PlanRunner(here.ids, here.workspace).start(order, here.voice)


def written(**steps: dict[str, Any]) -> str:
    """Write a plan as a mission."""
    return json.dumps({"steps": steps})


@pytest.mark.parametrize(
    ("mission", "told"),
    [
        ("Do it.", "it is not JSON"),
        ("[]", "must be an object"),
        (written(a=step("")), "steps.a.brief.mission is empty"),
    ],
)
async def test_a_mission_that_is_no_plan_is_never_begun(
    here: Stage, mission: str, told: str
) -> None:
    """The fault names the first field that is wrong, and nothing that stands in it."""
    with pytest.raises(RunnerFault, match=told):
        await make(here, mission)


async def test_a_plan_waits_for_its_steps_and_stops_when_told(here: Stage) -> None:
    """It ends its turn beside a step at work, hears nothing, and is gone at once."""
    child = await make(here, written(a=step(), b=step("{{a.output}}")))
    run = asyncio.create_task(child.run())
    await until(here, lambda: here.told(EndTurn))
    steps = [node for node in here.registry.tree.nodes.values() if node.key == "a"]
    assert [node.status for node in steps] == [Status.CLAIMED]
    assert await child.prompt(None, "hurry") is False
    child.wake()
    assert await child.stop() == Stopped()
    await run
    assert len(here.told(ConfirmStart)) == 1


async def test_one_that_was_stopped_before_begins_nothing(here: Stage) -> None:
    """Stopping is enough, however early it comes."""
    child = await make(here, written(a=step()))
    assert await child.stop(hurry=True) == Stopped()
    await child.run()
    assert here.told(ConfirmStart) == []


async def test_a_step_that_can_never_be_hired_ends_the_plan(here: Stage) -> None:
    """A role that nobody has is no limit that passes: the plan reports it at once."""
    child = await make(here, written(a=step(role="nobody")))
    await asyncio.wait_for(child.run(), 10)
    node = here.node(child._node.node_id)  # noqa: SLF001
    assert node.settlement is not None
    assert node.settlement.outcome is Outcome.FAILED
    assert "a: refused (ROLE_UNKNOWN)" in node.settlement.output


async def test_a_limit_that_does_not_pass_is_not_waited_for_without_end(
    here: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With nothing of its own at work it gives up some time, and says by what it was stopped."""
    monkeypatch.setattr(module, "PATIENCE_MS", -1)
    child = await make(here, written(a=step(tokenCap=10**9)))
    await asyncio.wait_for(child.run(), 10)
    node = here.node(child._node.node_id)  # noqa: SLF001
    assert node.settlement is not None
    assert "TREE_BUDGET_EXCEEDED" in node.settlement.output


async def test_a_report_that_does_not_fit_is_sent_in_fewer_words(here: Stage) -> None:
    """The last of them is one line: it fits the least contract there is."""
    names = {f"a-step-with-a-long-name-{n}": step(role="nobody") for n in range(40)}
    order = await here.order(
        ACTOR,
        role="lead",
        mission=json.dumps({"steps": names}),
        report_tokens=50,
    )
    child = PlanRunner(here.ids, here.workspace).start(order, here.voice)
    await asyncio.wait_for(child.run(), 10)
    node = here.node(order.node.node_id)
    assert node.settlement is not None
    assert node.settlement.output == "Plan of 40 steps: 40 refused."
