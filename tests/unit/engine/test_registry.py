"""`engine.registry`: one writer, one commit in flight, and nobody left without an answer."""

import asyncio
from typing import Any

import pytest

from subsessiond.core import decide as core_decide
from subsessiond.engine import registry as registry_module
from subsessiond.engine.registry import WAITING_COMMANDS, DecisionError, Registry
from subsessiond.model.commands import Caller, NoteSign, SaveCheckpoint
from subsessiond.model.decision import Decided, Opened
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.tree import Tree
from subsessiond.ports import Batch, StoreFault
from tests.support.engines import Engine, engine
from tests.support.memory_store import MemoryStore
from tests.support.policies import a_policy


class SlowStore(MemoryStore):
    """A store whose commits wait for the test's word, and which counts them."""

    def __init__(self) -> None:
        super().__init__()
        self.go = asyncio.Event()
        self.begun = asyncio.Event()
        self.batches: list[int] = []
        self.at_once = 0
        self.most_at_once = 0

    async def commit(self, batch: Batch) -> None:
        """Wait, then commit."""
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        self.begun.set()
        await self.go.wait()
        self.at_once -= 1
        self.batches.append(len(batch.events))
        await super().commit(batch)


async def test_an_answer_comes_after_the_commit() -> None:
    """Until the store has committed, nobody is answered and no other tree is published."""
    store = SlowStore()
    async with engine(store) as made:
        answer = made.registry.submit(made.open_root())
        await store.begun.wait()
        assert not answer.done()
        assert made.registry.tree == Tree()
        store.go.set()
        assert isinstance(await answer, Opened)
        assert len(made.registry.tree.nodes) == 1


async def test_what_queues_during_a_commit_is_the_next_batch() -> None:
    """One commit is in flight at a time, and all that came meanwhile shares the next one."""
    store = SlowStore()
    async with engine(store) as made:
        first = made.registry.submit(made.open_root())
        await store.begun.wait()
        rest = [made.registry.submit(made.open_root()) for _ in range(20)]
        store.go.set()
        await asyncio.gather(first, *rest)
    assert store.batches == [1, 20]
    assert store.most_at_once == 1


async def test_commands_are_decided_in_the_order_in_which_they_came() -> None:
    """Arrival order is decision order: sequence numbers follow it."""
    async with engine() as made:
        commands = [made.open_root() for _ in range(50)]
        await asyncio.gather(*(made.registry.submit(command) for command in commands))
        seqs = [made.registry.tree.nodes[c.new_id].seq for c in commands]
    assert seqs == sorted(seqs)


async def test_a_failed_commit_changes_nothing_and_answers_everybody() -> None:
    """When a commit fails the tree stays, no effect begins, and each caller is told to retry."""
    async with engine() as made:
        await made.root()
        before, effects = made.registry.tree, len(made.effects)
        made.store.fault = StoreFault("the disk is full")
        answers = await asyncio.gather(
            *(made.registry.submit(made.open_root()) for _ in range(3)),
        )
        assert made.registry.tree is before
        assert len(made.effects) == effects
        assert [a.code for a in answers if isinstance(a, Rejection)] == [
            Code.STORE_UNAVAILABLE,
        ] * 3
        made.store.fault = None
        assert await made.root() in made.registry.tree.nodes


async def test_a_fatal_store_fault_ends_the_registry_and_answers_everybody() -> None:
    """A store that cannot be trusted ends the registry; nobody waits for ever."""
    made = Engine()
    made.store.fault = StoreFault("the file was replaced", fatal=True)
    answers = [made.registry.submit(made.open_root()) for _ in range(3)]
    with pytest.raises(StoreFault):
        await made.registry.run()
    late = made.registry.submit(made.open_root())
    for answer in (*answers, late):
        assert isinstance(await answer, Rejection)


async def test_an_internal_command_is_tried_again_after_a_failed_commit() -> None:
    """What the daemon itself has seen is not lost by one failed commit."""
    async with engine() as made:
        root = await made.root()
        made.store.fault = StoreFault("busy")
        command = made.open_root()
        asked = asyncio.ensure_future(made.registry.ask(command))
        refused = await made.registry.submit(made.open_root())
        assert isinstance(refused, Rejection)
        made.store.fault = None
        # A root's command stands in for any that the engine would give by itself.
        assert isinstance(await asked, Opened | Rejection)
        assert root in made.registry.tree.nodes


async def test_volatile_events_are_published_without_a_commit() -> None:
    """Telemetry costs no transaction."""
    store = SlowStore()
    store.go.set()
    async with engine(store) as made:
        root = await made.root()
        seen: list[Any] = []
        made.registry.listen(lambda events, _tree: seen.append(events))
        await made.registry.ask(NoteSign(at_ms=2, awake_ms=2, node=root, sign="x"))
    assert store.batches == [1]


async def test_a_full_queue_is_answered_at_once() -> None:
    """Client commands are bounded: one too many is told how many wait and when to come again."""
    made = Engine()
    answers = [made.registry.submit(made.open_root()) for _ in range(WAITING_COMMANDS + 1)]
    refused = answers[-1].result()
    assert isinstance(refused, Rejection)
    assert refused.code is Code.BUSY
    assert refused.limit == WAITING_COMMANDS
    assert not answers[0].done()
    made.registry.stop()
    await made.registry.run()


async def test_a_stopping_daemon_refuses_clients_and_serves_itself() -> None:
    """After `close` a client is refused, while the engine's own commands still count."""
    async with engine() as made:
        root = await made.root()
        made.registry.close()
        refused = await made.registry.submit(made.open_root())
        assert isinstance(refused, Rejection)
        assert refused.step == "daemon"
        await made.registry.ask(NoteSign(at_ms=2, awake_ms=2, node=root, sign="x"))


async def test_a_bug_in_a_decision_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A decision that raises answers an incident, and the commands around it still count."""

    def broken(tree: Tree, policy: Any, command: Any) -> Decided:
        if isinstance(command, SaveCheckpoint):
            raise RuntimeError("a bug")  # noqa: TRY004  # any exception
        return core_decide.decide(tree, policy, command)

    monkeypatch.setattr(registry_module, "decide", broken)
    async with engine() as made:
        before = made.registry.submit(made.open_root())
        bad = made.registry.submit(
            SaveCheckpoint(
                at_ms=1,
                awake_ms=1,
                caller=Caller(),
                node=made.open_root().new_id,
                checkpoint=None,
                size_bytes=0,
            ),
        )
        after = made.registry.submit(made.open_root())
        assert isinstance(await before, Opened)
        with pytest.raises(DecisionError) as caught:
            await bad
        assert isinstance(await after, Opened)
    assert caught.value.incident
    assert "a bug" not in str(caught.value)


async def test_a_caller_that_has_gone_does_no_harm() -> None:
    """An answer to somebody who cancelled is dropped; the command still counts."""
    store = SlowStore()
    async with engine(store) as made:
        command = made.open_root()
        answer = made.registry.submit(command)
        await store.begun.wait()
        answer.cancel()
        store.go.set()
        await made.root()
        assert command.new_id in made.registry.tree.nodes


async def test_a_listener_can_be_removed() -> None:
    """A removed listener hears nothing more."""
    async with engine() as made:
        heard: list[int] = []
        forget = made.registry.listen(lambda events, _tree: heard.append(len(events)))
        await made.root()
        forget()
        await made.root()
    assert heard == [1]


async def test_a_stopped_registry_answers_questions_of_the_engine() -> None:
    """`ask` after the end is answered, and `tell` is dropped."""
    registry = Registry(Tree(), a_policy(), MemoryStore(), lambda _effect: None)
    registry.stop()
    await registry.run()
    note = NoteSign(at_ms=1, awake_ms=1, node=Engine().open_root().new_id, sign="x")
    registry.tell(note)
    assert isinstance(await registry.ask(note), Rejection)
