"""`engine.shutdown`: every child gets a reason, and the daemon an end."""

import asyncio

from subsessiond.engine.shutdown import REASON, end_children
from subsessiond.model.commands import Caller, Spawn
from subsessiond.model.node import Status
from subsessiond.model.process import Stopped
from subsessiond.model.report import Outcome
from tests.support.policies import brief
from tests.support.puppets import theatre


async def test_without_children_it_is_over_at_once() -> None:
    """With nobody to stop nothing is waited for."""
    async with theatre() as here:
        assert await end_children(here.registry, here.executor, here.clock, 10)


async def test_every_child_is_settled_and_gone() -> None:
    """Running children settle with the daemon's reason and are released before it says so."""
    async with theatre() as here:
        lead = await here.hire(role="lead")
        leaf = await here.hire(parent=lead.order.node.node_id)
        assert await end_children(here.registry, here.executor, here.clock, 10)
        for puppet in (lead, leaf):
            node = here.node(puppet.order.node.node_id)
            assert node.status is Status.RELEASED
            assert node.settlement is not None
            assert puppet.stops == 1
        reason = here.node(lead.order.node.node_id).settlement
        assert reason is not None
        assert (reason.outcome, reason.reason) == (Outcome.FAILED, REASON)


async def test_leftovers_are_not_waited_for() -> None:
    """A child that cannot be proven gone is on record and holds nobody up."""
    async with theatre() as here:
        puppet = await here.hire()
        puppet.stopped = Stopped(leftovers=("process 1 hangs",))
        assert await end_children(here.registry, here.executor, here.clock, 10)
        assert here.node(puppet.order.node.node_id).leftovers


async def test_a_stop_that_takes_too_long_is_told() -> None:
    """A child that is still being stopped when the time is over makes the answer no."""
    async with theatre() as here:
        puppet = await here.hire()
        puppet.may_stop.clear()
        assert not await end_children(here.registry, here.executor, here.clock, 0.01)
        assert here.node(puppet.order.node.node_id).status is Status.SETTLED


async def test_a_child_admitted_meanwhile_ends_too() -> None:
    """A spawn that was queued before the end began starts nothing that outlives the daemon."""
    async with theatre() as here:
        first = await here.hire()
        late = Spawn(
            new_id=here.ids.node_id(),
            parent=here.root,
            role="worker",
            brief=brief(),
            caller=Caller(),
            **here.voice.now(),
        )
        answer = here.registry.submit(late)
        ending = asyncio.create_task(
            end_children(here.registry, here.executor, here.clock, 10),
        )
        assert await ending
        assert answer.done()
        assert here.node(first.order.node.node_id).status is Status.RELEASED
        node = here.node(late.new_id)
        assert node.status is Status.RELEASED
        assert node.settlement is not None
        assert node.settlement.reason == REASON
