"""`adapters.runners.plan`: how a plan is driven; what it decides stands in `core.plan`."""

import asyncio
import json
from typing import Any

import pytest

from subsessiond.adapters.runners import plan as module
from subsessiond.adapters.runners.childwords import report_command
from subsessiond.adapters.runners.plan import PlanChild, PlanRunner
from subsessiond.model.commands import Caller, ConfirmGone, ConfirmStart, EndTurn, NoteSign
from subsessiond.model.ids import NodeId
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


def steps_of(here: Stage, name: str) -> list[NodeId]:
    """Give the children that were hired for a step."""
    nodes = here.registry.tree.nodes.values()
    return [node.node_id for node in nodes if node.key == f"step/{name}"]


async def completed(here: Stage, name: str) -> NodeId:
    """A step is begun and reports, and its processes are not gone yet; gives its node."""
    await until(here, lambda: steps_of(here, name))
    (found,) = steps_of(here, name)
    await here.voice.ask(ConfirmStart(node=found, **here.voice.now()))
    raw = {"output": "done", "stage": "final", "outcome": "completed"}
    caller = Caller(node_id=found, why="the step itself")
    await here.voice.submit(report_command(raw, here.node(found), caller, here.voice))
    return found


@pytest.mark.parametrize(
    ("mission", "told"),
    [
        ("Do it.", "it is not JSON"),
        ("[]", "must be an object"),
        (written(a=step("")), "steps.a.brief.mission is empty"),
        (written(a=step("x", "b"), b=step("x", "a")), "wait for each other in a circle"),
        (written(a=step("{{b.output}}")), "which is no step"),
        (written(a=step(), b=step("{{a.output}}" * 100)), "may grow to 18"),
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
    assert [here.node(one).status for one in steps_of(here, "a")] == [Status.CLAIMED]
    assert await child.prompt(None, "hurry") is False
    child.wake()
    assert await child.stop() == Stopped()
    await run
    assert len(here.told(ConfirmStart)) == 1


async def test_files_that_are_never_let_go_hold_no_other_step_up(here: Stage) -> None:
    """A step that is completed leaves processes behind: what waits for it is begun all the same."""
    child = await make(here, written(a=step(), b=step("{{a.output}}")))
    run = asyncio.create_task(child.run())
    first = await completed(here, "a")
    await until(here, lambda: here.told(NoteSign))
    await here.voice.ask(ConfirmGone(node=first, leftovers=("pid 7",), **here.voice.now()))
    await until(here, lambda: steps_of(here, "b"))
    await child.stop()
    await run


async def test_a_plan_whose_report_nobody_takes_says_so(here: Stage) -> None:
    """A contract that no plan can keep is a fault with a name, not a node without an end."""
    mission = written(a=step())
    order = await here.order(ACTOR, role="lead", mission=mission, sections=("risks",))
    run = asyncio.create_task(PlanRunner(here.ids, here.workspace).start(order, here.voice).run())
    await completed(here, "a")
    with pytest.raises(RunnerFault, match="REPORT_CONTRACT"):
        await asyncio.wait_for(run, 10)


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
