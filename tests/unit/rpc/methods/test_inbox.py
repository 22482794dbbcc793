"""`rpc.methods.inbox`."""

import asyncio

from subsessiond.model.ids import NodeId
from subsessiond.model.message import MessageState
from subsessiond.model.rejection import Code
from subsessiond.model.report import Stage
from tests.support.desk import Bench, as_node


async def mailed(bench: Bench, *texts: str) -> tuple[str, str]:
    """Open a root with one child that reports findings; gives both."""
    root = await bench.root()
    child = await bench.child(root)
    for text in texts:
        await bench.say(child, text, Stage.FINDING)
    return root, child


async def test_mail_comes_again_until_it_is_acknowledged(bench: Bench) -> None:
    """Each look brings all that is unacknowledged, marked when it was handed over before."""
    root, _ = await mailed(bench, "one", "two")
    first = await bench.call("subsession.inbox", as_node(root))
    assert [m["again"] for m in first["messages"]] == [False, False]
    second = await bench.call("subsession.inbox", as_node(root))
    assert [m["messageId"] for m in second["messages"]] == [
        m["messageId"] for m in first["messages"]
    ]
    assert [m["again"] for m in second["messages"]] == [True, True]
    assert [m["text"] for m in second["messages"]] == [m["text"] for m in first["messages"]]


async def test_acknowledging_takes_mail_out(bench: Bench) -> None:
    """Named messages go, the others stay; `true` takes all that were handed over."""
    root, child = await mailed(bench, "one", "two", "three")
    shown = (await bench.call("subsession.inbox", as_node(root)))["messages"]
    left = await bench.call("subsession.inbox", as_node(root), acknowledge=[shown[1]["messageId"]])
    assert [m["messageId"] for m in left["messages"]] == [
        shown[0]["messageId"],
        shown[2]["messageId"],
    ]
    await bench.say(child, "four", Stage.FINDING)
    left = await bench.call("subsession.inbox", as_node(root), acknowledge=True)
    assert [m["text"].splitlines()[-1] for m in left["messages"]] == ["four"]


async def test_reading_moves_to_delivered_for_good(bench: Bench) -> None:
    """What a node read is delivered in the registry, not only in somebody's memory."""
    root, _ = await mailed(bench, "one")
    await bench.call("subsession.inbox", as_node(root))
    await bench.child(root)  # any later command: the move was queued before it
    assert [m.state for m in bench.tree.mail[NodeId(root)]] == [MessageState.DELIVERED]
    assert not bench.desk.changes.handed


async def test_the_operators_look_moves_nothing(bench: Bench) -> None:
    """The operator sees a node's mail; for its reader it is as new as before."""
    root, _ = await mailed(bench, "one")
    seq = bench.tree.seq
    for _ in range(2):
        seen = await bench.call("subsession.inbox", nodeId=root)
        assert [m["again"] for m in seen["messages"]] == [False]
    assert bench.tree.seq == seq
    own = await bench.call("subsession.inbox", as_node(root))
    assert [m["again"] for m in own["messages"]] == [False]


async def test_the_operator_says_whose_mailbox(bench: Bench) -> None:
    """The operator has no mailbox of its own and is told so."""
    refused = await bench.refusal("subsession.inbox")
    assert refused.code is Code.NOT_FOUND
    assert "nodeId" in refused.detail


async def test_an_answer_is_bounded_and_says_what_is_left(bench: Bench) -> None:
    """Oldest first up to the bound, one message at least, the rest by count."""
    root, _ = await mailed(bench, *("x" * 1_500 for _ in range(6)))
    answer = await bench.call("subsession.inbox", as_node(root), maxTokens=1_200)
    assert (len(answer["messages"]), answer["more"]) == (2, 4)
    assert answer["estimatedTokens"] <= 1_200
    tiny = await bench.call("subsession.inbox", as_node(root), maxTokens=1, acknowledge=True)
    assert (len(tiny["messages"]), tiny["more"]) == (1, 3)


async def test_waiting_ends_with_the_next_message(bench: Bench) -> None:
    """A reader without news waits for a message; one it has seen before does not end its wait."""
    root, child = await mailed(bench, "old")
    await bench.call("subsession.inbox", as_node(root))
    waiting = asyncio.create_task(bench.call("subsession.inbox", as_node(root), waitMs=30_000))
    for _ in range(5):
        await asyncio.sleep(0)
    assert not waiting.done()
    await bench.say(child, "new", Stage.FINDING)
    answer = await asyncio.wait_for(waiting, 10)
    assert [m["again"] for m in answer["messages"]] == [True, False]


async def test_a_reader_with_news_does_not_wait(bench: Bench) -> None:
    """New mail is answered at once, whatever the reader is willing to wait."""
    root, _ = await mailed(bench, "one")
    call = bench.call("subsession.inbox", as_node(root), waitMs=50_000)
    assert len((await asyncio.wait_for(call, 10))["messages"]) == 1


async def test_a_node_cannot_acknowledge_anothers_mail(bench: Bench) -> None:
    """The operator does not acknowledge for a root with an agent, nor a child for its parent."""
    root, child = await mailed(bench, "one")
    refused = await bench.refusal("subsession.inbox", as_node(child), nodeId=root)
    assert refused.code is Code.NOT_FOUND
    refused = await bench.refusal("subsession.inbox", nodeId=child, acknowledge=True)
    assert refused.code is Code.NOT_ALLOWED


async def test_what_is_shown_is_noted_before_it_is_shown(bench: Bench) -> None:
    """Whoever has the answer in hand can be sure that none of it comes again as new."""
    root, _ = await mailed(bench, "one")
    await bench.call("subsession.inbox", as_node(root))
    assert [m.state for m in bench.tree.mail[NodeId(root)]] == [MessageState.DELIVERED]


async def test_who_comes_back_is_shown_at_once_what_it_may_not_have_read(bench: Bench) -> None:
    """Though it waits for news: to whoever it is now, that is news, and marked."""
    root, _ = await mailed(bench, "one")
    await bench.call("subsession.inbox", as_node(root))
    await bench.call(
        "subsession.open", workspace=bench.tree.nodes[NodeId(root)].workspace, resume=root
    )
    waiting = bench.call("subsession.inbox", as_node(root), waitMs=50_000)
    answer = await asyncio.wait_for(waiting, 10)
    assert [m["again"] for m in answer["messages"]] == [True]


async def test_a_daemon_that_ends_shows_no_new_mail(bench: Bench) -> None:
    """It could not note any more that it did; the next one shows it."""
    root, _ = await mailed(bench, "one")
    bench.desk.registry.stop()  # type: ignore[attr-defined]  # the engine's
    refused = await bench.refusal("subsession.inbox", as_node(root))
    assert refused.code is Code.BUSY
    assert [m.state for m in bench.tree.mail[NodeId(root)]] == [MessageState.STAGED]
