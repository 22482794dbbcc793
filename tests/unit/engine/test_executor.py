"""`engine.executor`: every fault of a child becomes a command, and nothing else happens to it."""

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from subsessiond.model.commands import (
    Caller,
    ConfirmGone,
    Succeed,
)
from subsessiond.model.decision import Admitted
from subsessiond.model.effects import StartChild, StopChild
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Status
from subsessiond.model.process import Stopped
from subsessiond.ports import JournalLine, RunnerFault
from tests.support.puppets import cancel, ended, final, theatre, turns


async def test_an_admitted_child_is_started_once_with_its_token() -> None:
    """The order names node, profile and environment; asking again starts nothing more."""
    async with theatre() as here:
        puppet = await here.hire()
        order = puppet.order
        node_id = order.node.node_id
        assert dict(order.env) == {"A": "1", "NODE": node_id, "TOKEN": order.token}
        assert here.tokens.node_of(order.token) == node_id
        here.executor.perform(StartChild(node=node_id))
        assert here.runner.made == 1
        assert here.executor.live == 1
        assert "Do it." in order.opening


async def test_a_child_is_released_when_its_processes_are_gone() -> None:
    """A settled child is stopped, then released; its token ends with it."""
    async with theatre() as here:
        puppet = await here.hire()
        node_id = puppet.order.node.node_id
        puppet.stopped = Stopped(forced=True)
        await here.ask(ended(here, node_id))
        node = await here.wait_status(node_id, Status.RELEASED)
        assert node.forced
        assert here.executor.live == 0
        assert here.tokens.node_of(puppet.order.token) is None


async def test_what_is_left_is_told() -> None:
    """A child whose processes could not be proven gone stays settled, with words for each."""
    async with theatre() as here:
        puppet = await here.hire()
        puppet.stopped = Stopped(forced=True, leftovers=("process 1 hangs",))
        await here.ask(ended(here, puppet.order.node.node_id))
        await here.wait_for(lambda t: t.nodes[puppet.order.node.node_id].leftovers)
        assert here.node(puppet.order.node.node_id).status is Status.SETTLED


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (RunnerFault("the file is missing"), "the file is missing"),
        (KeyError("bug"), "its runner failed: KeyError"),
    ],
)
async def test_a_child_that_cannot_be_run_fails_its_start(fault: Exception, words: str) -> None:
    """A fault, and a bug, of a runner before the start settle that child and free all it held."""
    async with theatre() as here:
        here.runner.fault = fault
        node_id = await here.admit()
        node = await here.wait_status(node_id, Status.RELEASED)
        assert node.settlement is not None
        assert node.settlement.reason == "start-failed"
        assert words in node.settlement.output
        here.runner.fault = None
        assert await here.hire()


async def test_a_child_without_a_runner_fails_its_start() -> None:
    """A child whose agent was taken out of the configuration meanwhile is not started."""
    async with theatre() as here:
        puppet = await here.hire()
        node_id = puppet.order.node.node_id
        await here.ask(ended(here, node_id))
        await here.wait_status(node_id, Status.RELEASED)
        heir = Succeed(
            new_id=here.ids.node_id(), predecessor=node_id, caller=Caller(), **here.voice.now()
        )
        agents = tuple(replace(a, runner="gone") for a in here.registry.policy.agents)
        here.registry.policy = replace(here.registry.policy, agents=agents)
        assert isinstance(await here.registry.submit(heir), Admitted)
        node = await here.wait_status(heir.new_id, Status.RELEASED)
        assert node.settlement is not None
        assert "not configured any more" in node.settlement.output


async def test_a_broken_runner_settles_its_child_and_no_other() -> None:
    """An exception in a run is that child's end, with its words for the operator alone."""
    async with theatre() as here:
        well = await here.hire()
        here.runner.prepare = lambda puppet: setattr(puppet, "run_fault", ValueError("a bug"))
        bad = await here.hire()
        node = await here.wait_status(bad.order.node.node_id, Status.RELEASED)
        assert node.settlement is not None
        assert node.settlement.reason == "runner-fault"
        assert node.settlement.diagnostic == "ValueError: a bug"
        assert "a bug" not in node.settlement.output
        assert here.node(well.order.node.node_id).status is Status.RUNNING


async def test_a_stop_that_fails_is_a_leftover() -> None:
    """A runner whose stop raises leaves its child on record as not proven gone."""
    async with theatre() as here:
        puppet = await here.hire()
        puppet.stop_fault = OSError("no")
        await here.ask(cancel(here, puppet.order.node.node_id))
        await here.wait_for(lambda t: t.nodes[puppet.order.node.node_id].leftovers)
        (words,) = here.node(puppet.order.node.node_id).leftovers
        assert words == "stopping failed: OSError"


async def test_a_child_is_stopped_once() -> None:
    """Stops that meet share one way down."""
    async with theatre() as here:
        puppet = await here.hire()
        puppet.may_stop.clear()
        node_id = puppet.order.node.node_id
        await here.ask(cancel(here, node_id))
        await puppet.stop_called.wait()
        here.executor.perform(StopChild(node=node_id))
        puppet.may_stop.set()
        await here.wait_status(node_id, Status.RELEASED)
        assert puppet.stops == 1


async def test_a_turn_may_run_on_after_the_final() -> None:
    """A child that said its final is stopped when its run is over, not before."""
    async with theatre() as here:
        puppet = await here.hire()
        node_id = puppet.order.node.node_id
        await here.registry.submit(final(here, node_id))
        await here.wait_status(node_id, Status.SETTLED)
        await turns()
        assert puppet.stops == 0
        puppet.end.set()
        await here.wait_status(node_id, Status.RELEASED)
        assert puppet.stops == 1


async def test_a_turn_does_not_run_on_for_ever() -> None:
    """The time a turn may run on is bounded."""
    async with theatre() as here:
        puppet = await here.hire()
        here.executor.perform(StopChild(node=puppet.order.node.node_id, after_ms=20))
        async with asyncio.timeout(10):
            await puppet.stop_called.wait()


async def test_a_cancel_lets_its_turn_run_on_no_longer() -> None:
    """A child that sent its final and runs on is stopped by a cancel at once; others run on."""
    async with theatre() as here:
        puppet, other = await here.hire(), await here.hire()
        for one in (puppet, other):
            await here.registry.submit(final(here, one.order.node.node_id))
            await here.wait_status(one.order.node.node_id, Status.SETTLED)
        node_id = puppet.order.node.node_id
        await here.registry.submit(cancel(here, node_id))
        await here.wait_status(node_id, Status.RELEASED)
        assert (puppet.stops, other.stops) == (1, 0)
        assert not puppet.hurried.is_set()


async def test_hurry_lets_no_turn_run_on() -> None:
    """Once somebody is in a hurry, nobody waits for a turn any more."""
    async with theatre() as here:
        puppet = await here.hire()
        node_id = puppet.order.node.node_id
        await here.registry.submit(final(here, node_id))
        here.executor.hurry()
        await here.wait_status(node_id, Status.RELEASED)
        assert not puppet.hurried.is_set()


async def test_kill_hurries_every_stop() -> None:
    """A stop that waits for its grace is told not to; a runner that fails then hurts nobody."""
    async with theatre() as here:
        slow, broken = await here.hire(), await here.hire()
        slow.may_stop.clear()
        await here.ask(ended(here, slow.order.node.node_id))
        await slow.stop_called.wait()
        broken.stop_fault = ValueError("a bug")
        here.executor.kill()
        await here.wait_status(slow.order.node.node_id, Status.RELEASED)
        assert slow.hurried.is_set()
        assert broken.stops == 1


async def test_abandoned_children_hold_nobody_up() -> None:
    """After `abandon` no task of a child is left, whatever its stop waits for."""
    async with theatre() as here:
        puppet = await here.hire()
        puppet.may_stop.clear()
        await here.ask(ended(here, puppet.order.node.node_id))
        await puppet.stop_called.wait()
    assert here.node(puppet.order.node.node_id).status is Status.SETTLED


async def test_a_child_nobody_runs_is_gone_at_once() -> None:
    """Stopping a child that has no task confirms that it is gone."""
    async with theatre() as here:
        here.executor.perform(StopChild(node=NodeId("0" * 26)))
        await here.ask(ConfirmGone(node=NodeId("0" * 26), **here.voice.now()))


async def test_a_successor_starts_once_its_predecessor_is_on_record() -> None:
    """Before a successor runs, the lines of its predecessor's journal are in their file."""
    async with theatre() as here:
        puppet = await here.hire()
        node_id = puppet.order.node.node_id
        go = asyncio.Event()
        append = here.journals.append

        async def slow(lines: tuple[JournalLine, ...]) -> Any:
            await go.wait()
            return await append(lines)

        here.journals.append = slow  # type: ignore[method-assign]
        await here.ask(ended(here, node_id))
        await here.wait_status(node_id, Status.RELEASED)
        heir = Succeed(
            new_id=here.ids.node_id(), predecessor=node_id, caller=Caller(), **here.voice.now()
        )
        assert isinstance(await here.registry.submit(heir), Admitted)
        second = here.runner.puppets[heir.new_id]
        await turns()
        assert not second.begun.is_set()
        go.set()
        await second.begun.wait()
        kinds = [record.kind for record in here.journals.records[node_id]]
        assert kinds == ["admitted", "settled", "released"]
