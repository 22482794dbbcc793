import asyncio

from subsessiond.engine.channels import Channels
from subsessiond.model.events import FinalAsked, NodeReleased
from subsessiond.model.tree import Tree
from tests.support.playbook import id_of

ONE, TWO = id_of(1), id_of(2)


async def test_whoever_waits_hears_of_its_own_node_alone() -> None:
    """A wait ends with the first listing by that node, also one that was before it."""
    channels = Channels()
    waiting = asyncio.create_task(channels.wait(ONE))
    channels.note(TWO)
    await channels.wait(TWO)
    assert not waiting.done()
    assert not channels.seen(ONE)
    channels.note(ONE)
    channels.note(ONE)
    await asyncio.wait_for(waiting, 10)
    assert channels.seen(ONE)


async def test_a_released_node_is_forgotten() -> None:
    """Nothing is kept of a node whose processes are gone; nothing else is touched."""
    channels = Channels()
    channels.note(ONE)
    channels.note(TWO)
    asked = FinalAsked(seq=1, at_ms=1, node=TWO)
    channels.on_events((asked, NodeReleased(seq=2, at_ms=1, node=ONE)), Tree())
    assert not channels.seen(ONE)
    assert channels.seen(TWO)
    channels.forget(ONE)
