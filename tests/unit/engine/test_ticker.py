"""`engine.ticker`: one timer for everything that waits for silence."""

import asyncio

import pytest
from msgspec.structs import replace

from subsessiond.engine import ticker
from subsessiond.engine.ticker import SWEEP_TICKS, TICK_MS, Ticker
from subsessiond.model.commands import Caller, Command, Spawn, Sweep
from subsessiond.model.node import Status
from subsessiond.model.process import Identity
from subsessiond.ports import StoreFault
from tests.support.engines import engine
from tests.support.manual_clock import ManualClock
from tests.support.playbook import id_of
from tests.support.policies import brief
from tests.support.world import IDENTITY


async def test_a_sweep_comes_every_few_ticks() -> None:
    """With a root in the tree a sweep is asked for every five seconds of the awake clock."""
    async with engine() as made:
        clock = ManualClock()
        clock.jump(1)
        root = await made.root()
        told: list[Command] = []
        made.registry.tell = told.append  # type: ignore[method-assign, assignment]
        ticking = asyncio.create_task(Ticker(made.registry, clock, made.store).run())
        await clock.wait_sleepers()
        began = clock.wall_ms(), clock.awake_ms()
        await clock.move(2 * SWEEP_TICKS * TICK_MS + TICK_MS)
        ticking.cancel()
        assert root in made.registry.tree.nodes
    step = SWEEP_TICKS * TICK_MS
    assert [(c.at_ms - began[0], c.awake_ms - began[1]) for c in told] == [
        (step, step),
        (2 * step, 2 * step),
    ]


async def test_an_empty_tree_is_not_swept() -> None:
    """Without any node nothing is asked for."""
    async with engine() as made:
        clock = ManualClock()
        told: list[Command] = []
        made.registry.tell = told.append  # type: ignore[method-assign, assignment]
        ticking = asyncio.create_task(Ticker(made.registry, clock, made.store).run())
        await clock.wait_sleepers()
        await clock.move(10 * SWEEP_TICKS * TICK_MS)
        ticking.cancel()
    assert told == []


async def test_a_child_that_never_starts_is_swept_away() -> None:
    """A claim without a start ends by the ticker alone, after the time a start may take."""
    async with engine() as made:
        made.registry.policy = replace(
            made.registry.policy,
            limits=replace(made.registry.policy.limits, start_timeout_ms=7_000),
        )
        clock = ManualClock()
        root = await made.root()
        child = id_of(900)
        spawn = Spawn(
            at_ms=clock.wall_ms(),
            awake_ms=clock.awake_ms(),
            caller=Caller(),
            new_id=child,
            parent=root,
            role="worker",
            brief=brief(),
        )
        await made.registry.submit(spawn)
        ticking = asyncio.create_task(Ticker(made.registry, clock, made.store).run())
        await clock.wait_sleepers()
        came = asyncio.Event()
        made.registry.listen(
            lambda _e, tree: came.set() if tree.nodes[child].status is Status.SETTLED else None
        )
        await clock.move(5_000)
        assert made.registry.tree.nodes[child].status is Status.CLAIMED
        await clock.move(5_000)
        await came.wait()
        ticking.cancel()
        settlement = made.registry.tree.nodes[child].settlement
    assert settlement is not None
    assert settlement.reason == "start-timeout"


async def test_a_backup_is_taken_once_a_day_and_a_failed_one_does_no_harm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A day of ticks takes one backup; one that cannot be taken stops no tick."""
    monkeypatch.setattr(ticker, "BACKUP_TICKS", 4 * SWEEP_TICKS)
    async with engine() as made:
        clock = ManualClock()
        ticking = asyncio.create_task(Ticker(made.registry, clock, made.store).run())
        await clock.wait_sleepers()
        await clock.move(4 * SWEEP_TICKS * TICK_MS)
        assert made.store.backups == 1
        monkeypatch.setattr(made.store, "backup", _refuse)
        await clock.move(8 * SWEEP_TICKS * TICK_MS)
        assert made.store.backups == 1
        assert not ticking.done()
        ticking.cancel()


async def test_a_backup_that_is_due_waits_until_the_start_is_over() -> None:
    """A minute after a start the backup that was due is taken, and not before."""
    async with engine() as made:
        made.store.backup_due = True
        clock = ManualClock()
        ticking = asyncio.create_task(Ticker(made.registry, clock, made.store).run())
        await clock.wait_sleepers()
        await clock.move((ticker.FIRST_BACKUP_TICKS - SWEEP_TICKS) * TICK_MS)
        assert made.store.backups == 0
        await clock.move(SWEEP_TICKS * TICK_MS)
        assert made.store.backups == 1
        ticking.cancel()


async def test_old_things_go_once_a_day_and_a_failure_does_no_harm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Soon after the start, and then every day, something is tidied up, whatever came of it."""
    monkeypatch.setattr(ticker, "BACKUP_TICKS", 2 * ticker.FIRST_BACKUP_TICKS)
    calls: list[int] = []

    async def tidy() -> None:
        calls.append(1)
        raise OSError("not today")

    async with engine() as made:
        clock = ManualClock()
        ticking = asyncio.create_task(Ticker(made.registry, clock, made.store, tidy).run())
        await clock.wait_sleepers()
        await clock.move((ticker.FIRST_BACKUP_TICKS - SWEEP_TICKS) * TICK_MS)
        assert not calls
        await clock.move(SWEEP_TICKS * TICK_MS)
        assert len(calls) == 1
        await clock.move(2 * ticker.FIRST_BACKUP_TICKS * TICK_MS)
        assert len(calls) == 2
        assert not ticking.done()
        ticking.cancel()


async def _refuse() -> None:
    raise StoreFault("the disk is full")


async def test_an_idle_root_is_closed_only_when_its_agent_has_gone() -> None:
    """Whether it still runs is asked of idle roots alone, and of every agent that was the root."""
    async with engine() as made:
        limits = replace(made.registry.policy.limits, root_idle_ms=60_000)
        made.registry.policy = replace(made.registry.policy, limits=limits)
        clock = ManualClock()
        root = await made.root()
        agent = replace(IDENTITY, pid=4_711)
        tree = made.registry.tree
        known = replace(tree.nodes[root], former=(agent,), claimed_at_ms=clock.wall_ms())
        made.registry.tree = replace(tree, nodes=tree.nodes.set(root, known))
        told: list[Command] = []
        made.registry.tell = told.append  # type: ignore[method-assign, assignment]
        asked: list[Identity] = []

        def runs(identity: Identity) -> bool:
            asked.append(identity)
            return True

        ticker = Ticker(made.registry, clock, made.store, runs=runs)
        ticking = asyncio.create_task(ticker.run())
        await clock.wait_sleepers()
        await clock.move(SWEEP_TICKS * TICK_MS)
        first, asked_first = told[-1], len(asked)
        clock.jump(3_600_000)
        await clock.move(SWEEP_TICKS * TICK_MS)
        ticking.cancel()
    assert isinstance(first, Sweep)
    assert isinstance(told[-1], Sweep)
    assert (first.attended, asked_first) == ((), 0)
    assert told[-1].attended == (root,)
    assert set(asked) == {agent}
