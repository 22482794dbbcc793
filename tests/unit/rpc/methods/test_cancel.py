"""`rpc.methods.cancel` and `steer`."""

import asyncio

import pytest

from subsessiond.model.effects import StopChild
from subsessiond.model.rejection import Code
from tests.support.desk import Bench, as_node


async def stop_asked(bench: Bench, count: int) -> None:
    """Wait until so many stops are asked for."""
    end = asyncio.get_running_loop().time() + 10
    while asyncio.get_running_loop().time() < end:
        if sum(isinstance(effect, StopChild) for effect in bench.effects) >= count:
            return
        await asyncio.sleep(0)
    raise AssertionError("no stop was asked for")


@pytest.mark.scenario("S09")
async def test_a_cancel_is_answered_when_everything_below_is_gone(bench: Bench) -> None:
    """The answer waits for the last process of the subtree and tells where force was needed."""
    root = await bench.root()
    lead = await bench.child(root, "lead")
    below = await bench.child(lead)
    waiting = asyncio.create_task(bench.call("subsession.cancel", as_node(root), nodeId=lead))
    await stop_asked(bench, 2)
    await bench.gone(below)
    assert not waiting.done()
    await bench.gone(lead)
    answer = await asyncio.wait_for(waiting, 10)
    assert [node["nodeId"] for node in answer["nodes"]] == [lead, below]
    assert {node["state"] for node in answer["nodes"]} == {"released"}
    assert not answer["already"]


async def test_leftovers_end_the_waiting_and_are_listed(bench: Bench) -> None:
    """What cannot be proven gone is named, and nobody waits for it for ever."""
    root = await bench.root()
    child = await bench.child(root)
    waiting = asyncio.create_task(bench.call("subsession.cancel", nodeId=child))
    await stop_asked(bench, 1)
    await bench.gone(child, "process 7 (x) is still there")
    (node,) = (await asyncio.wait_for(waiting, 10))["nodes"]
    assert node["leftovers"] == ["process 7 (x) is still there"]
    assert node["state"] == "settled"


@pytest.mark.scenario("S21")
async def test_a_settled_node_is_told_so(bench: Bench) -> None:
    """Cancelling what has settled changes nothing, and the answer says that it was so already."""
    root = await bench.root()
    child = await bench.child(root)
    await bench.finish(child)
    seq = bench.tree.seq
    answer = await bench.call("subsession.cancel", nodeId=child)
    assert answer["already"]
    assert answer["nodes"][0]["state"] == "released"
    assert bench.tree.seq == seq


async def test_a_caller_need_not_wait(bench: Bench) -> None:
    """With a wait of nothing the answer tells how far it is."""
    child = await bench.child(await bench.root())
    answer = await bench.call("subsession.cancel", nodeId=child, waitMs=0)
    assert answer["nodes"][0]["state"] == "settled"


async def test_closing_a_root_ends_everything_below(bench: Bench) -> None:
    """A root is closed when its last child is gone; a child that is left over ends the waiting."""
    root = await bench.root()
    one, two = await bench.child(root), await bench.child(root)
    waiting = asyncio.create_task(bench.call("subsession.close", nodeId=root))
    await stop_asked(bench, 2)
    await bench.gone(one)
    await bench.gone(two)
    answer = await asyncio.wait_for(waiting, 10)
    assert {node["state"] for node in answer["nodes"]} == {"released"}
    other = await bench.root()
    child = await bench.child(other)
    waiting = asyncio.create_task(bench.call("subsession.close", nodeId=other))
    await stop_asked(bench, 3)
    await bench.gone(child, "process 7")
    answer = await asyncio.wait_for(waiting, 10)
    assert [node["leftovers"] for node in answer["nodes"]] == [[], ["process 7"]]


async def test_a_child_is_not_closed(bench: Bench) -> None:
    """Only roots are closed."""
    child = await bench.child(await bench.root())
    assert (await bench.refusal("subsession.close", nodeId=child)).code is Code.NOT_FOUND


@pytest.mark.scenario("S22")
async def test_a_steer_is_accepted_and_not_called_read(bench: Bench) -> None:
    """The answer to a steer names the message and says that it was not read yet."""
    root = await bench.root()
    child = await bench.child(root)
    answer = await bench.call("subsession.steer", as_node(root), nodeId=child, text="faster")
    assert "not read yet" in answer["text"]
    state = await bench.call("subsession.receipt", as_node(root), messageId=answer["messageId"])
    assert state["state"] == "staged"
