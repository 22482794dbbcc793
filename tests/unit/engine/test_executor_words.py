"""`engine.executor`: what is said to children, and who is woken."""

from subsessiond.model.commands import (
    Caller,
    Steer,
)
from subsessiond.model.effects import PromptChild, WakeReader
from subsessiond.model.ids import MessageId
from subsessiond.model.node import Status
from tests.support.puppets import Puppet, Theatre, ended, theatre, turns


def steer(here: Theatre, puppet: Puppet, text: str) -> Steer:
    """Say something to a child as its parent."""
    caller = Caller(node_id=here.root)
    node_id = puppet.order.node.node_id
    return Steer(node=node_id, text=text, caller=caller, **here.voice.now())


async def test_what_was_read_leaves_the_mailbox() -> None:
    """A message the child read is acknowledged; until then it stays."""
    async with theatre() as here:
        puppet = await here.hire()
        node_id = puppet.order.node.node_id
        await here.registry.submit(steer(here, puppet, "left"))
        await turns()
        assert puppet.said[0].endswith("left")
        assert here.registry.tree.mail[node_id]
        puppet.read.set()
        await here.wait_for(lambda t: not t.mail.get(node_id))


async def test_what_is_said_to_a_dying_child_stays_unread() -> None:
    """A prompt that waits ends unread with its child; later ones are dropped."""
    async with theatre() as here:
        puppet = await here.hire()
        node_id = puppet.order.node.node_id
        await here.registry.submit(steer(here, puppet, "left"))
        await turns()
        puppet.may_stop.clear()
        await here.ask(ended(here, node_id))
        await puppet.stop_called.wait()
        here.executor.perform(PromptChild(node=node_id, message_id=MessageId("m.1"), text="late"))
        puppet.may_stop.set()
        await here.wait_status(node_id, Status.RELEASED)
        assert len(puppet.said) == 1
        here.executor.perform(PromptChild(node=node_id, message_id=MessageId("m.1"), text="late"))
        box = here.registry.tree.mail[here.root]
        assert any("before it read your message" in message.text for message in box)


async def test_a_prompt_that_fails_hurts_nobody() -> None:
    """A runner that cannot pass a message on leaves it unread, and its child alive."""
    async with theatre() as here:
        puppet = await here.hire()
        puppet.prompt_fault = ValueError("a bug")
        await here.registry.submit(steer(here, puppet, "left"))
        await turns()
        assert here.registry.tree.mail[puppet.order.node.node_id]
        assert here.node(puppet.order.node.node_id).status is Status.RUNNING


async def test_a_reminder_without_a_name_marks_nothing() -> None:
    """A prompt that is no message of anybody changes no mailbox."""
    async with theatre() as here:
        puppet = await here.hire()
        puppet.read.set()
        node_id = puppet.order.node.node_id
        seq = here.registry.tree.seq
        here.executor.perform(PromptChild(node=node_id, message_id=None, text="your final, please"))
        await turns()
        assert puppet.said == ["your final, please"]
        assert here.registry.tree.seq == seq


async def test_readers_are_woken() -> None:
    """Mail wakes a child that runs; a fault in that, and a reader outside, hurt nobody."""
    async with theatre() as here:
        puppet = await here.hire(role="lead")
        node_id = puppet.order.node.node_id
        here.executor.perform(WakeReader(node=node_id))
        puppet.wake_fault = ValueError("a bug")
        here.executor.perform(WakeReader(node=node_id))
        here.executor.perform(WakeReader(node=here.root))
        assert puppet.wakes == 2
