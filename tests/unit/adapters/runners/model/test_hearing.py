"""What was said to a loop, until it can hear."""

import asyncio

from subsessiond.adapters.runners.mailbox import Mailbox
from subsessiond.adapters.runners.model.hearing import Hearing
from subsessiond.model.commands import Caller, ConfirmStart, MarkDelivered, Steer
from subsessiond.model.ids import MessageId, NodeId
from tests.support.policies import ACTOR
from tests.support.stage import Stage


async def begun(here: Stage, role: str = "worker") -> NodeId:
    """Let a child run."""
    order = await here.order(ACTOR, role=role)
    await here.voice.ask(ConfirmStart(node=order.node.node_id, **here.voice.now()))
    return order.node.node_id


async def steer(here: Stage, node: NodeId, text: str) -> MessageId:
    """Say something to a child, as its parent would; gives the message's name."""
    command = Steer(caller=Caller(node_id=here.root), node=node, text=text, **here.voice.now())
    await here.voice.submit(command)
    return here.registry.tree.mail[node][-1].message_id


async def test_what_is_said_is_heard_in_order_and_counts_as_read(here: Stage) -> None:
    """Each is told to be read before anything comes of it."""
    node = await begun(here)
    hearing = Hearing(Mailbox(here.voice, node))
    names = [await steer(here, node, text) for text in ("one", "two")]
    says = [asyncio.ensure_future(hearing.say(name, name)) for name in names]
    ours = asyncio.ensure_future(hearing.say(None, "ask"))
    await asyncio.sleep(0)
    assert await hearing.next() == [*names, "ask"]
    assert await asyncio.gather(*says, ours) == [True, True, True]
    assert [c.message_ids for c in here.told(MarkDelivered) if c.read] == [(n,) for n in names]
    assert await hearing.take() == []


async def test_what_was_handed_over_on_another_way_is_not_said_again(here: Stage) -> None:
    """It may have come with the answer of a tool; it was read all the same."""
    node = await begun(here)
    hearing = Hearing(Mailbox(here.voice, node))
    name = await steer(here, node, "one")
    saying = asyncio.ensure_future(hearing.say(name, "one"))
    await asyncio.sleep(0)
    delivered = MarkDelivered(node=node, message_ids=(name,), read=True, **here.voice.now())
    await here.voice.ask(delivered)
    assert await hearing.take() == []
    assert await saying


async def test_mail_is_heard_once_somebody_woke_it(here: Stage) -> None:
    """Then whole; a wake without mail is not something to hear."""
    node = await begun(here)
    hearing = Hearing(Mailbox(here.voice, node))
    hearing.wake()
    assert await hearing.take() == []
    waiting = asyncio.ensure_future(hearing.next())
    await asyncio.sleep(0)
    hearing.wake()
    await asyncio.sleep(0)
    assert not waiting.done()
    waiting.cancel()
    await asyncio.wait((waiting,))


async def test_what_is_not_heard_by_the_end_is_said_to_be(here: Stage) -> None:
    """And what is said later is not heard either."""
    node = await begun(here)
    hearing = Hearing(Mailbox(here.voice, node))
    saying = asyncio.ensure_future(hearing.say(None, "one"))
    await asyncio.sleep(0)
    hearing.close()
    assert await saying is False
    assert await hearing.say(None, "two") is False


async def test_who_does_not_wait_any_more_is_passed_over(here: Stage) -> None:
    """Its words are not said."""
    node = await begun(here)
    hearing = Hearing(Mailbox(here.voice, node))
    saying = asyncio.ensure_future(hearing.say(None, "one"))
    await asyncio.sleep(0)
    saying.cancel()
    await asyncio.wait((saying,))
    assert await hearing.take() == []
    hearing.close()
