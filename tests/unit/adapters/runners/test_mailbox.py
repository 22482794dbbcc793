from subsessiond.adapters.runners.mailbox import Mailbox
from subsessiond.core.bounds import bytes_of_tokens, size_bytes
from subsessiond.model.commands import Caller, ConfirmStart, MarkDelivered, Steer, SubmitReport
from subsessiond.model.decision import Accepted
from subsessiond.model.ids import NodeId
from subsessiond.model.ledger import Why
from subsessiond.model.message import MessageState, Source
from subsessiond.model.policy import Limits
from subsessiond.model.report import Report
from subsessiond.model.report import Stage as ReportStage
from tests.support.stage import Stage

SHOWN = Limits().wake_tokens


async def make(here: Stage) -> tuple[Mailbox, NodeId]:
    """Admit a parent that can be steered."""
    node_id = await here.admit(role="worker")
    return Mailbox(here.voice, node_id), node_id


async def steer(here: Stage, node_id: NodeId, text: str) -> str:
    """Say something to it; gives the message's name."""
    command = Steer(node=node_id, text=text, caller=Caller(), **here.voice.now())
    reply = await here.registry.submit(command)
    return str(reply.message_id)  # type: ignore[union-attr]


async def test_it_knows_its_node(here: Stage) -> None:
    """A node that is not there is not live."""
    mailbox, node_id = await make(here)
    assert mailbox.is_live
    assert mailbox.node == here.node(node_id)
    assert Mailbox(here.voice, NodeId("none")).node is None
    assert not Mailbox(here.voice, NodeId("none")).is_live


async def test_a_message_is_taken_once(here: Stage) -> None:
    """Before it is published that it was handed over, no other way can take it as well."""
    mailbox, node_id = await make(here)
    name = await steer(here, node_id, "look")
    assert mailbox.take_one(name)
    assert not mailbox.take_one(name)
    assert not mailbox.take_one("other")
    mailbox.note_read(name)
    await here.settled_queue()
    assert not mailbox.take_one(name)
    assert not here.registry.handed


async def test_a_message_is_staged_until_it_is_read(here: Stage) -> None:
    """What was said to the agent is not said again."""
    mailbox, node_id = await make(here)
    name = await steer(here, node_id, "look")
    assert mailbox.is_staged(name)
    assert not mailbox.is_staged("other")
    mailbox.note_read(name)
    await here.settled_queue()
    assert not mailbox.is_staged(name)
    assert here.registry.tree.mail.get(node_id, ()) == ()


async def test_what_is_said_to_it_is_no_mail(here: Stage) -> None:
    """Steers come as prompts of their own."""
    mailbox, node_id = await make(here)
    await steer(here, node_id, "look")
    assert await mailbox.take() == ""
    assert here.told(MarkDelivered) == []


async def report(here: Stage, node_id: NodeId, output: str) -> None:
    """Report a finding to the root."""
    said = Report(stage=ReportStage.FINDING, output=output)
    command = SubmitReport(
        caller=Caller(node_id=node_id),
        node=node_id,
        report=said,
        fingerprint=output[:8],
        size_bytes=size_bytes(output),
        **here.voice.now(),
    )
    reply = await here.registry.submit(command)
    assert isinstance(reply, Accepted), reply


async def test_what_was_handed_over_is_noted_before_it_is_said(here: Stage) -> None:
    """Once it is given, the store knows; and it is read when the agent worked through it."""
    mailbox, child = Mailbox(here.voice, here.root), await here.admit(role="worker")
    await here.voice.ask(ConfirmStart(node=child, **here.voice.now()))
    mailbox.note_heard()
    await report(here, child, "one")
    assert "one" in await mailbox.take()
    (message,) = here.registry.tree.mail[here.root]
    assert message.state is MessageState.DELIVERED
    mailbox.note_heard()
    mailbox.note_heard()
    await here.settled_queue()
    assert here.root not in here.registry.tree.mail
    read = [told.message_ids for told in here.told(MarkDelivered) if told.read]
    assert read == [(message.message_id,)]


async def test_what_came_to_nothing_comes_again_and_says_so(here: Stage) -> None:
    """With its name and its place; what came meanwhile stands behind it."""
    mailbox, child = Mailbox(here.voice, here.root), await here.admit(role="worker")
    await here.voice.ask(ConfirmStart(node=child, **here.voice.now()))
    await report(here, child, "one")
    first = await mailbox.take()
    mailbox.note_unheard()
    await report(here, child, "two")
    second = await mailbox.take()
    frame = f"Background subagent {child} reported:"
    assert first == f"{frame}\none"
    assert second == f"(again) {frame}\none\n\n{frame}\ntwo"
    assert [(reader, size) for reader, size, _ in here.voice.shown] == [
        (here.root, len(first)),
        (here.root, len(second)),
    ]
    parts = [part for *_, shown in here.voice.shown for part in shown]
    assert [(part.node, part.why, part.size) for part in parts] == [
        (child, Why.MAIL, len(first)),
        (child, Why.AGAIN, len(first) + len("(again) ")),
        (child, Why.MAIL, len(first)),
    ]
    mailbox.note_heard()
    await here.settled_queue()
    assert here.root not in here.registry.tree.mail


async def test_mail_is_handed_over_once_and_bounded(here: Stage) -> None:
    """The oldest comes first, what does not fit is announced, and comes the next time."""
    mailbox = Mailbox(here.voice, here.root)
    child = await here.admit(role="worker", report_tokens=SHOWN)
    await here.voice.ask(ConfirmStart(node=child, **here.voice.now()))
    for letter in "abc":
        await report(here, child, letter * (bytes_of_tokens(SHOWN) - 700))
    await report(here, child, "short")
    first = await mailbox.take()
    await here.settled_queue()
    assert "aaa" in first
    assert "bbb" not in first
    assert first.endswith("3 more: they come when this turn is over.")
    second = await mailbox.take()
    await here.settled_queue()
    third = await mailbox.take()
    await here.settled_queue()
    assert "bbb" in second
    assert "ccc" in third
    assert third.endswith(f"Background subagent {child} reported:\nshort")
    assert await mailbox.take() == ""
    box = here.registry.tree.mail[here.root]
    assert {message.state for message in box} == {MessageState.DELIVERED}
    assert {message.source for message in box} == {Source.REPORT}
