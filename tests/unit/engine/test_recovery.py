"""`engine.recovery`: a new life of the daemon ends and settles what the last one left."""

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from subsessiond.engine.recovery import ENDING_AT_ONCE, recover, unreleased
from subsessiond.model.commands import Caller, Cancel, CloseRoot, ConfirmStart, MarkDelivered, Spawn
from subsessiond.model.ids import NodeId
from subsessiond.model.message import MessageState
from subsessiond.model.node import Status
from subsessiond.model.process import Identity, Stopped
from tests.support.engines import Engine, engine
from tests.support.manual_clock import ManualClock
from tests.support.playbook import id_of
from tests.support.policies import brief

IDENTITY = Identity(pid=1, start_ticks=2, boot_id="b", container="descent", marker="M=1")


class LeftProcesses:
    """What an earlier daemon left, as a test says it."""

    kind = "descent"

    def __init__(self) -> None:
        self.ended: list[Any] = []
        self.comes_to = Stopped()
        self.fault: Exception | None = None
        self.at_once = 0
        self.most_at_once = 0

    async def end(self, identity: Identity) -> Stopped:
        """End by identity."""
        return await self._end(identity)

    async def end_named(self, node_id: str) -> Stopped:
        """End by name."""
        return await self._end(node_id)

    async def _end(self, what: object) -> Stopped:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        self.ended.append(what)
        if self.fault is not None:
            raise self.fault
        return self.comes_to

    async def spawn(self, _: object) -> Any:
        """Nothing is started here."""
        raise AssertionError

    def pids_of(self, _: Identity) -> tuple[int, ...]:
        """Nothing is looked at here."""
        raise AssertionError

    async def aclose(self) -> None:
        """Nothing is held."""


async def hire(made: Engine, parent: NodeId, role: str = "worker", *, start: bool = True) -> NodeId:
    """Admit a child, and let it run."""
    child = id_of(next(made.numbers))
    await made.registry.submit(
        Spawn(
            at_ms=1,
            awake_ms=1,
            caller=Caller(),
            new_id=child,
            parent=parent,
            role=role,
            brief=brief(),
        ),
    )
    if start:
        command = ConfirmStart(at_ms=1, awake_ms=1, node=child, identity=IDENTITY)
        await made.registry.ask(command)
    return child


async def test_what_ran_and_what_was_starting_are_settled_and_released() -> None:
    """A running child settles as cut off by the restart, a starting one as never started."""
    async with engine() as made:
        root = await made.root()
        ran, starting = await hire(made, root), await hire(made, root, start=False)
        processes = LeftProcesses()
        found = await recover(made.registry, processes, ManualClock())
        assert [node.node_id for node in found] == [starting, ran]
        assert processes.ended == [starting, IDENTITY]
        nodes = made.registry.tree.nodes
        reasons = {key: n.settlement.reason for key, n in nodes.items() if n.settlement is not None}
        assert reasons == {ran: "daemon-restart", starting: "start-interrupted"}
        assert nodes[ran].status is nodes[starting].status is Status.RELEASED
        assert nodes[root].status is Status.RUNNING


async def test_recovering_twice_changes_nothing_more() -> None:
    """After one recovery there is nothing left to recover, and no event is added."""
    async with engine() as made:
        await hire(made, await made.root())
        await recover(made.registry, LeftProcesses(), ManualClock())
        seq = made.registry.tree.seq
        assert await recover(made.registry, LeftProcesses(), ManualClock()) == ()
        assert made.registry.tree.seq == seq


async def test_roots_with_mail_are_recovered_too() -> None:
    """What one was handed by the last life of the daemon comes again; the others are left alone."""
    async with engine() as made:
        root = await made.root()
        child = await hire(made, root)
        await recover(made.registry, LeftProcesses(), ManualClock())
        (message,) = made.registry.tree.mail[root]
        ids = (message.message_id,)
        await made.registry.ask(MarkDelivered(at_ms=1, awake_ms=1, node=root, message_ids=ids))
        assert made.registry.tree.mail[root][0].state is MessageState.DELIVERED
        assert await recover(made.registry, LeftProcesses(), ManualClock()) == ()
        (message,) = made.registry.tree.mail[root]
        assert (message.sender, message.state, message.again) == (
            child,
            MessageState.STAGED,
            True,
        )


async def test_a_chain_is_settled_from_its_end() -> None:
    """No child of a child is settled as an orphan: each is told of the restart itself."""
    async with engine() as made:
        lead = await hire(made, await made.root(), "lead")
        leaf = await hire(made, lead)
        assert [node.node_id for node in unreleased(made.registry)] == [leaf, lead]
        await recover(made.registry, LeftProcesses(), ManualClock())
        nodes = made.registry.tree.nodes
        for key in (lead, leaf):
            settlement = nodes[key].settlement
            assert settlement is not None
            assert settlement.reason == "daemon-restart"


async def test_what_is_left_stays_on_record() -> None:
    """A child whose processes could not be proven gone keeps its claim, with words for each."""
    async with engine() as made:
        child = await hire(made, await made.root())
        processes = LeftProcesses()
        processes.comes_to = Stopped(forced=True, leftovers=("process 1 hangs",))
        await recover(made.registry, processes, ManualClock())
        node = made.registry.tree.nodes[child]
        assert node.status is Status.SETTLED
        assert node.leftovers == ("process 1 hangs",)


@pytest.mark.parametrize("fault", [OSError("no"), ValueError("a bug")])
async def test_a_fault_in_ending_is_a_leftover(fault: Exception) -> None:
    """What raises while it is ended neither stops the start nor counts as gone."""
    async with engine() as made:
        child = await hire(made, await made.root())
        processes = LeftProcesses()
        processes.fault = fault
        await recover(made.registry, processes, ManualClock())
        node = made.registry.tree.nodes[child]
        assert node.leftovers == (f"ending it failed: {type(fault).__name__}",)


async def test_a_close_is_finished() -> None:
    """A root that was being closed when the daemon died is closed by the next start."""
    async with engine() as made:
        root = await made.root()
        await hire(made, root)
        await made.registry.submit(CloseRoot(at_ms=1, awake_ms=1, caller=Caller(), node=root))
        assert made.registry.tree.nodes[root].status is Status.RUNNING
        await recover(made.registry, LeftProcesses(), ManualClock())
        assert made.registry.tree.nodes[root].status is Status.RELEASED


async def test_a_cancel_is_finished() -> None:
    """A cancelled child that still had processes is released, and its outcome stays."""
    async with engine() as made:
        child = await hire(made, await made.root())
        await made.registry.submit(Cancel(at_ms=1, awake_ms=1, caller=Caller(), node=child))
        await recover(made.registry, LeftProcesses(), ManualClock())
        node = made.registry.tree.nodes[child]
        assert node.status is Status.RELEASED
        assert node.settlement is not None
        assert node.settlement.outcome == "cancelled"


async def test_ending_many_is_done_in_bounded_numbers() -> None:
    """However many children were left, not more than fifty are ended at the same time."""
    async with engine() as made:
        limits = replace(
            made.registry.policy.limits,
            live_per_parent=None,
            live_per_tree=None,
            live_total=None,
            spawn_burst=1_000,
            root_token_cap=1_000_000_000,
        )
        made.registry.policy = replace(made.registry.policy, limits=limits)
        root = await made.root()
        for _ in range(ENDING_AT_ONCE + 10):
            await hire(made, root, start=False)
        processes = LeftProcesses()
        found = await recover(made.registry, processes, ManualClock())
        assert len(found) == len(processes.ended) == ENDING_AT_ONCE + 10
        assert processes.most_at_once == ENDING_AT_ONCE
