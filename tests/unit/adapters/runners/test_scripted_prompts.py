import asyncio

from subsessiond.model.commands import (
    Caller,
    ConfirmStart,
    EndChild,
    EndTurn,
    MarkDelivered,
    Steer,
    SubmitReport,
)
from subsessiond.model.decision import Admitted
from subsessiond.model.effects import PromptChild, WakeReader
from subsessiond.model.ids import NodeId
from subsessiond.model.message import MessageState
from subsessiond.model.node import Status
from subsessiond.model.report import Report
from subsessiond.model.report import Stage as ReportStage
from tests.support.scripts import failed, make, node_of, running, until
from tests.support.stage import Stage

FINAL = {"stage": "final", "outcome": "completed", "output": "All done."}


async def test_turns_end_until_somebody_speaks(here: Stage) -> None:
    """An ended turn lasts until the next prompt; after the last step turns end on and on."""
    child = await make(here, {"endTurn": None}, {"report": {"output": "again"}})
    async with running(child):
        await until(here, lambda: len(here.told(EndTurn)) == 1)
        assert await child.prompt(None, "say your final") is False
        await until(here, lambda: len(here.told(EndTurn)) == 2)
        assert len(child.answers) == 1
        await here.settled_queue()
    node = node_of(here, child)
    assert node.settlement is not None
    assert node.settlement.reason == "promoted"


async def test_a_turn_that_ends_after_the_final_ends_the_run(here: Stage) -> None:
    """A script that has said its final and has no more to do is over, and is not waited for."""
    child = await make(here, {"report": FINAL})
    async with running(child) as run:
        await until(here, run.done)
    assert here.told(EndTurn) == []


async def test_a_steer_counts_as_read_when_the_script_reads_it(here: Stage) -> None:
    """What is said to a script is unread until a step reads it, and one step reads one message."""
    child = await make(here, {"pauseMs": 0}, {"awaitPrompt": None}, {"awaitPrompt": None})
    first = asyncio.create_task(child.prompt("m.1", "go left"))
    await asyncio.sleep(0)
    assert not first.done()
    async with running(child):
        assert await first is True
        assert await child.prompt("m.2", "go right") is True
    assert await child.prompt("m.3", "too late") is False


async def test_an_unread_steer_comes_back(here: Stage) -> None:
    """A script that ends without reading leaves the message unread; its sender is told."""
    child = await make(here, {"awaitPrompt": None}, {"pauseMs": 600_000})
    node_id = child._node.node_id  # noqa: SLF001
    async with running(child):
        await until(here, lambda: node_of(here, child).status is Status.RUNNING)
        for text in ("read this", "and this"):
            await here.registry.submit(
                Steer(
                    node=node_id,
                    text=text,
                    caller=Caller(node_id=here.root),
                    **here.voice.now(),
                )
            )
        one, two = here.effects(PromptChild)
        assert await child.prompt(one.message_id, one.text) is True
        read = MarkDelivered(
            node=node_id, message_ids=(one.message_id,), read=True, **here.voice.now()
        )
        await here.registry.ask(read)
        waiting = asyncio.create_task(child.prompt(two.message_id, two.text))
        await asyncio.sleep(0)
    assert await waiting is False
    await here.registry.ask(failed(here, node_id))
    box = here.registry.tree.mail.get(here.root, ())
    assert any(two.message_id in message.text for message in box)
    assert not any(one.message_id in message.text for message in box)
    assert all(message.state is MessageState.STAGED for message in box)


async def test_a_caller_who_left_does_no_harm(here: Stage) -> None:
    """A prompt that nobody waits for any more is skipped over."""
    child = await make(here, {"awaitPrompt": None}, {"awaitPrompt": None}, {"end": {}})
    gone = asyncio.create_task(child.prompt("m.1", "x"))
    await asyncio.sleep(0)
    gone.cancel()
    await asyncio.wait((gone,))
    async with running(child) as task:
        assert await child.prompt("m.2", "y") is True
        await task
    assert len(here.told(EndChild)) == 1


async def test_mail_begins_the_next_turn(here: Stage) -> None:
    """A turn that ended beside live children goes on when mail comes, which counts as delivered."""
    below = {"role": "worker", "brief": {"mission": "m"}}
    child = await make(here, {"spawn": below}, {"endTurn": None}, {"waitMail": 1}, role="lead")
    async with running(child):
        await until(here, lambda: here.told(EndTurn))
        (admitted,) = child.answers
        assert isinstance(admitted, Admitted)
        await here.registry.ask(failed(here, admitted.node_id))
        child.wake()
        await until(here, lambda: len(child.answers) == 2)
        (delivered,) = here.told(MarkDelivered)
        assert not delivered.read
        assert len(delivered.message_ids) == 1
    assert here.registry.tree.mail.get(child._node.node_id, ()) == ()  # noqa: SLF001


async def test_quiet_mail_ends_a_wait_within_a_turn(here: Stage) -> None:
    """Progress wakes nobody, but a step that waits for mail hears of it as `inbox` does."""
    below = {"role": "worker", "brief": {"mission": "m"}}
    child = await make(here, {"spawn": below}, {"waitMail": 1}, role="lead")
    async with running(child):
        await until(here, lambda: child.answers)
        (admitted,) = child.answers
        assert isinstance(admitted, Admitted)
        await here.registry.ask(ConfirmStart(node=admitted.node_id, **here.voice.now()))
        await here.registry.submit(progress(here, admitted.node_id))
        await until(here, lambda: len(child.answers) == 2)
    assert here.effects(WakeReader) == []
    assert here.registry.tree.mail.get(child._node.node_id, ()) == ()  # noqa: SLF001


async def test_mail_that_was_read_begins_no_further_turn(here: Stage) -> None:
    """A script that was woken within its turn and took its mail ends that turn once."""
    below = {"role": "worker", "brief": {"mission": "m"}}
    child = await make(here, {"spawn": below}, {"waitMail": 1}, role="lead")
    async with running(child):
        await until(here, lambda: child.answers)
        (admitted,) = child.answers
        assert isinstance(admitted, Admitted)
        await here.registry.ask(failed(here, admitted.node_id))
        assert here.pass_on(child, child._node.node_id) == []  # noqa: SLF001
        await until(here, lambda: here.told(EndTurn))
        await here.settled_queue()
        assert len(here.told(EndTurn)) == 1
    assert node_of(here, child).asked_for_final


async def test_a_steer_begins_one_turn(here: Stage) -> None:
    """Whether it was said before or after the turn ended, it begins the next, and no other."""
    child = await make(here, {"awaitPrompt": None}, {"pauseMs": 0})
    node_id = child._node.node_id  # noqa: SLF001

    async def steer(turns: int) -> None:
        caller = Caller(node_id=here.root)
        await here.registry.submit(
            Steer(node=node_id, text="on", caller=caller, **here.voice.now())
        )
        said = here.pass_on(child, node_id)[-1]
        assert await child.prompt(said.message_id, said.text) is True
        await until(here, lambda: len(here.told(EndTurn)) == turns)
        await here.settled_queue()

    async with running(child):
        await until(here, lambda: node_of(here, child).status is Status.RUNNING)
        await steer(1)
        await steer(2)
    assert len(here.told(EndTurn)) == 2
    assert node_id not in [effect.node for effect in here.effects(WakeReader)]


def progress(here: Stage, node_id: NodeId) -> SubmitReport:
    """Say a sign of life as a child."""
    return SubmitReport(
        node=node_id,
        report=Report(stage=ReportStage.PROGRESS, output="half"),
        fingerprint="f",
        size_bytes=4,
        caller=Caller(node_id=node_id),
        **here.voice.now(),
    )
