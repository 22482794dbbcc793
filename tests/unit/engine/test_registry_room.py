"""`engine.registry` on a disk that is nearly full: nothing new begins, what lives can end."""

from typing import Any

from subsessiond.model.checkpoint import Checkpoint
from subsessiond.model.commands import (
    Caller,
    ConfirmStart,
    OpenRoot,
    SaveCheckpoint,
    Spawn,
    SubmitReport,
    Succeed,
)
from subsessiond.model.decision import Accepted, Admitted, Opened, Saved
from subsessiond.model.ids import NodeId
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.report import Outcome, Report, Stage
from tests.support.engines import Engine, engine
from tests.support.playbook import id_of
from tests.support.policies import brief


def a_spawn(made: Engine, root: NodeId, **fields: Any) -> Spawn:
    """Make a spawn that passes every check."""
    values: dict[str, Any] = {"role": "worker", "brief": brief(), "caller": Caller()}
    new_id = id_of(next(made.numbers))
    return Spawn(at_ms=1, awake_ms=1, new_id=new_id, parent=root, **(values | fields))


async def a_child(made: Engine, root: NodeId, **fields: Any) -> NodeId:
    """Admit a child and let it run."""
    command = a_spawn(made, root, **fields)
    assert isinstance(await made.registry.submit(command), Admitted)
    await made.registry.ask(ConfirmStart(at_ms=1, awake_ms=1, node=command.new_id))
    return command.new_id


def a_final(child: NodeId) -> SubmitReport:
    """Make a completed final."""
    return SubmitReport(
        at_ms=2,
        awake_ms=2,
        caller=Caller(node_id=child),
        node=child,
        report=Report(stage=Stage.FINAL, output="done", outcome=Outcome.COMPLETED),
        fingerprint="f",
        size_bytes=4,
    )


def refused_for_room(reply: Any) -> bool:
    """Tell whether a reply says that there is no room."""
    return (
        isinstance(reply, Rejection)
        and (reply.code, reply.step) == (Code.STORE_UNAVAILABLE, "disk")
        and reply.retryable
    )


async def test_nothing_new_begins_without_room() -> None:
    """Roots, children and successors are refused while the disk is nearly full."""
    async with engine() as made:
        root = await made.root()
        settled = await a_child(made, root)
        await made.registry.submit(a_final(settled))
        made.store.has_room = False
        before = made.registry.tree
        succeed = Succeed(
            at_ms=3,
            awake_ms=3,
            caller=Caller(),
            new_id=id_of(next(made.numbers)),
            predecessor=settled,
        )
        for command in (made.open_root(), a_spawn(made, root), succeed):
            assert refused_for_room(await made.registry.submit(command))
        assert made.registry.tree == before
        made.store.has_room = True
        for command in (made.open_root(), a_spawn(made, root), succeed):
            assert isinstance(await made.registry.submit(command), Admitted | Opened)


async def test_what_lives_comes_to_its_end_without_room() -> None:
    """Checkpoints and finals are accepted, and a root is resumed, though the disk is full."""
    async with engine() as made:
        root = await made.root()
        child = await a_child(made, root)
        made.store.has_room = False
        saved = await made.registry.submit(
            SaveCheckpoint(
                at_ms=2,
                awake_ms=2,
                caller=Caller(node_id=child),
                node=child,
                checkpoint=Checkpoint(phase="p", state="s", next_step="n"),
                size_bytes=3,
            ),
        )
        assert isinstance(saved, Saved)
        assert isinstance(await made.registry.submit(a_final(child)), Accepted)
        back = OpenRoot(
            at_ms=3,
            awake_ms=3,
            caller=Caller(),
            new_id=id_of(next(made.numbers)),
            workspace="/project",
            resume=root,
        )
        assert isinstance(await made.registry.submit(back), Opened)


async def test_another_reason_and_a_first_answer_stand_without_room() -> None:
    """A repeated spawn gets its child again, a wrong one its own refusal, a check its answer."""
    async with engine() as made:
        root = await made.root()
        child = await a_child(made, root, key="k", fingerprint="f")
        made.store.has_room = False
        again = await made.registry.submit(a_spawn(made, root, key="k", fingerprint="f"))
        assert isinstance(again, Admitted)
        assert again.node_id == child
        wrong: Any = await made.registry.submit(a_spawn(made, root, role="nobody"))
        assert wrong.code is Code.ROLE_UNKNOWN
        asked: Any = await made.registry.submit(a_spawn(made, root, check_only=True))
        assert asked.would_admit is True
