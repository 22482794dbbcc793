"""`rpc.methods.unread`."""

from typing import Any

from subsessiond.model.ids import NodeId
from subsessiond.model.message import MessageState
from subsessiond.model.report import Stage
from tests.support.desk import PERSON, Bench, as_node

NOTHING = {"count": 0, "text": ""}


async def ended(bench: Bench, root: str, *, again: bool = False) -> dict[str, Any]:
    """Ask as the hook of a root's agent does, at the first end of its turn or a later one."""
    found: dict[str, Any] = await bench.call("subsession.unread", as_node(root), again=again)
    return found


async def test_a_turn_does_not_end_before_mail_was_read(bench: Bench) -> None:
    """Unread mail is told of, by count alone; once it was read the turn may end."""
    root = await bench.root()
    assert await ended(bench, root) == NOTHING
    child = await bench.child(root)
    await bench.say(child, "secret words", Stage.FINDING)
    await bench.say(child, "more", Stage.FINDING)
    told = await ended(bench, root)
    assert told["count"] == 2
    assert "2 messages" in told["text"]
    assert "secret" not in told["text"]
    await bench.call("subsession.inbox", as_node(root))
    assert await ended(bench, root, again=True) == NOTHING
    assert await ended(bench, root) == NOTHING


async def test_a_turn_that_goes_on_is_told_of_what_came_since(bench: Bench) -> None:
    """An agent that does not read is not kept for ever; each new message keeps it once."""
    root = await bench.root()
    child = await bench.child(root)
    await bench.say(child, "one", Stage.FINDING)
    assert (await ended(bench, root))["count"] == 1
    assert await ended(bench, root, again=True) == NOTHING
    await bench.say(child, "two", Stage.FINDING)
    assert (await ended(bench, root, again=True))["count"] == 1
    assert await ended(bench, root, again=True) == NOTHING
    assert (await ended(bench, root))["count"] == 2  # the next turn is told of all of it


async def test_what_is_told_is_counted_as_shown(bench: Bench) -> None:
    """By the bytes of the text, of no one child; that there is nothing is shown to nobody."""
    root = await bench.root()
    child = await bench.child(root)
    await ended(bench, root)
    await bench.say(child, "one", Stage.FINDING)
    told = await ended(bench, root)
    found = await bench.desk.ledger.of((NodeId(root),))
    assert found[NodeId(root)].general == len(told["text"].encode())


async def test_being_told_moves_nothing(bench: Bench) -> None:
    """The mail is as new as before, so that it comes whole and unmarked when it is read."""
    root = await bench.root()
    child = await bench.child(root)
    await bench.say(child, "one", Stage.FINDING)
    seq = bench.tree.seq
    await ended(bench, root)
    assert bench.tree.seq == seq
    assert [m.state for m in bench.tree.mail[NodeId(root)]] == [MessageState.STAGED]
    shown = await bench.call("subsession.inbox", as_node(root))
    assert [m["again"] for m in shown["messages"]] == [False]


async def test_progress_keeps_no_turn_from_ending(bench: Bench) -> None:
    """A sign of life is not worth a step of a model."""
    root = await bench.root()
    child = await bench.child(root)
    await bench.say(child, "still at it", Stage.PROGRESS)
    assert await ended(bench, root) == NOTHING


async def test_nobody_else_is_told_anything(bench: Bench) -> None:
    """A person has no mail here; a child is prompted by the daemon, though the hook runs there."""
    root = await bench.root()
    child = await bench.child(root)
    await bench.say(child, "one", Stage.FINDING)
    assert await bench.call("subsession.unread", PERSON) == NOTHING
    assert await ended(bench, child) == NOTHING
