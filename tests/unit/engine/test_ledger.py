"""The context ledger of a running daemon."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from immutables import Map
from msgspec.structs import replace
from structlog.testing import capture_logs

from subsessiond.engine import ledger as engine
from subsessiond.engine.ledger import Ledger, counting
from subsessiond.model.events import (
    MessagesMoved,
    NodeAdmitted,
    NodeReleased,
    RootOpened,
    TreeForgotten,
)
from subsessiond.model.ids import NodeId, message_id
from subsessiond.model.ledger import Account, Life, Part, Stream, Why
from subsessiond.model.message import Message, MessageState, Source
from subsessiond.model.tree import Tree
from subsessiond.ports import StoreFault
from tests.support.engines import engine as engine_of
from tests.support.keeping import Late, Noticed
from tests.support.ledger import AT_MS, child, node_id, root
from tests.support.manual_clock import ManualClock
from tests.support.memory_store import MemoryStore

MOTHER = root(1)
CHILD = child(2, MOTHER)
TREE = Tree(nodes=Map({MOTHER.node_id: MOTHER, CHILD.node_id: CHILD}))
BORN = (
    RootOpened(node=MOTHER.node_id, record=MOTHER, at_ms=AT_MS),
    NodeAdmitted(node=CHILD.node_id, record=CHILD, at_ms=AT_MS),
)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let counts gather for no time at all."""
    monkeypatch.setattr(engine, "REST_S", 0.0)


async def a_ledger(store: MemoryStore, tree: Tree = TREE) -> Ledger:
    """Give a ledger that has loaded."""
    made = Ledger(store, ManualClock())
    await made.load(tree)
    return made


async def born(store: MemoryStore) -> Ledger:
    """Give a ledger that saw two nodes come."""
    made = await a_ledger(store, Tree())
    made.on_events(BORN, TREE)
    return made


@asynccontextmanager
async def running(ledger: Ledger) -> AsyncIterator[None]:
    """Keep counts for the length of a block, all of them at its end."""
    task = asyncio.create_task(ledger.run())
    try:
        yield
    finally:
        ledger.stop()
        await task


async def account_of(ledger: Ledger, node: NodeId = CHILD.node_id) -> Account:
    """Read one account."""
    return (await ledger.of((node,)))[node]


def show(ledger: Ledger, size: int = 10) -> None:
    """Show the mother something of her child."""
    part = Part(node=CHILD.node_id, why=Why.MAIL, size=size)
    ledger.show(MOTHER.node_id, size, (part,))


async def test_counts_go_on_after_a_restart() -> None:
    """What one life counted, the next one has, and adds to it."""
    store = MemoryStore()
    first = await born(store)
    async with running(first):
        first.stream(CHILD.node_id, Stream.PRINTED, 1_000)
        show(first)
        first.define(CHILD.node_id, 70)
    second = await a_ledger(store)
    show(second, 5)
    second.stream(CHILD.node_id, Stream.PRINTED, 24)
    account = await account_of(second)
    assert (account.printed, account.mail, account.definitions) == (1_024, 15, 70)
    assert account.since_ms is None
    assert second.lives == ()


async def test_a_killed_life_loses_its_last_second_and_is_known() -> None:
    """What was kept stays, what was not is gone, and the next life says so."""
    store = Noticed()
    first = await born(store)
    show(first)
    task = asyncio.create_task(first.run())
    async with asyncio.timeout(10):
        await store.kept.wait()
    show(first, 7)
    task.cancel()
    second = await a_ledger(store)
    assert (await account_of(second)).mail == 10
    assert second.lives == (Life(began_ms=AT_MS, found_ms=AT_MS),)
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_what_is_of_no_child_is_counted_at_the_parent() -> None:
    """The parts of all that is shown make up all that is shown."""
    made = await born(MemoryStore())
    part = Part(node=CHILD.node_id, why=Why.ANSWER, size=30)
    made.show(MOTHER.node_id, 40, (part, Part(node=None, why=Why.MAIL, size=5)))
    made.show(MOTHER.node_id, 100, ())
    mother, mine = await account_of(made, MOTHER.node_id), await account_of(made)
    assert mine.answers == 33
    assert mother.general == 107


async def test_what_a_script_acknowledges_was_shown_to_its_root() -> None:
    """It is the tree before that has the message."""
    made = await born(MemoryStore())
    message = Message(
        message_id=message_id(CHILD.node_id, 1),
        recipient=MOTHER.node_id,
        sender=CHILD.node_id,
        source=Source.REPORT,
        text="done",
    )
    made.on_events((), replace(TREE, mail=Map({MOTHER.node_id: (message,)})))
    moved = MessagesMoved(
        node=MOTHER.node_id,
        message_ids=(message.message_id,),
        state=MessageState.ACKNOWLEDGED,
        at_ms=AT_MS,
    )
    made.on_events((moved,), TREE)
    assert (await account_of(made)).mail == len("done")


async def test_what_a_check_names_is_no_child() -> None:
    """Nothing is counted of a node that never was; the parent has it."""
    made = await born(MemoryStore())
    made.show(MOTHER.node_id, 9, (Part(node=node_id(7), why=Why.ANSWER, size=9),))
    assert (await account_of(made, MOTHER.node_id)).general == 9
    assert await made.of((node_id(7),)) == {}


async def test_a_node_that_was_there_before_is_counted_from_now_on() -> None:
    """Its account says since when."""
    made = await a_ledger(MemoryStore())
    assert await made.of((CHILD.node_id,)) == {}
    show(made)
    assert (await account_of(made)).since_ms == AT_MS


async def test_of_a_node_that_is_not_in_memory_nothing_is_counted() -> None:
    """Its counts lie in the store, and a new account would take their place."""
    store = MemoryStore()
    old = Account(node_id=node_id(9), mail=3)
    await store.keep_accounts((old,))
    made = await a_ledger(store)
    made.stream(node_id(9), Stream.PRINTED, 5)
    async with running(made):
        assert await made.of((node_id(9),)) == {node_id(9): old}
    assert await store.accounts((node_id(9),)) == (old,)


async def test_what_has_gone_is_kept_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is waited for once a child's last byte has been read, and then again as before."""
    monkeypatch.setattr(engine, "REST_S", 3_600.0)
    store = Noticed()
    made = await born(store)
    show(made)
    async with running(made), asyncio.timeout(10):
        made.on_events((NodeReleased(node=CHILD.node_id, at_ms=AT_MS),), TREE)
        await store.kept.wait()
        assert (await store.accounts((CHILD.node_id,)))[0].mail == 10
        show(made)
        for _ in range(50):  # let it wake, and gather
            await asyncio.sleep(0)
        assert store.tries == 1


async def test_a_closed_tree_leaves_memory_once_its_counts_are_kept() -> None:
    """It is read from the store afterwards."""
    store = MemoryStore()
    made = await born(store)
    async with running(made):
        show(made)
        made.on_events((TreeForgotten(node=MOTHER.node_id, at_ms=AT_MS),), Tree())
    assert (await store.accounts((CHILD.node_id,)))[0].mail == 10
    show(made, 99)
    assert (await account_of(made)).mail == 10


async def test_a_closed_tree_without_news_leaves_memory_too() -> None:
    """What was kept long ago is let go of as well."""
    store = Noticed()
    made = await born(store)
    async with running(made), asyncio.timeout(10):
        await store.kept.wait()
        made.on_events((TreeForgotten(node=MOTHER.node_id, at_ms=AT_MS),), Tree())
        for _ in range(50):  # let it wake, gather for no time, and go on
            await asyncio.sleep(0)
        assert not made.knows(CHILD.node_id)
        assert store.tries == 1


async def test_what_is_counted_while_counts_are_kept_is_kept_next() -> None:
    """A tree that is to leave memory stays until then."""
    store = Late()
    made = await born(store)
    store.meanwhile = lambda: show(made)
    made.on_events((TreeForgotten(node=MOTHER.node_id, at_ms=AT_MS),), Tree())
    async with running(made):
        pass
    assert made.knows(CHILD.node_id)
    async with running(made):
        pass
    assert not made.knows(CHILD.node_id)
    assert (await store.accounts((CHILD.node_id,)))[0].mail == 10


async def test_it_follows_a_registry_for_the_length_of_a_block() -> None:
    """Nodes that come are counted, and what is counted is kept at the end of it."""
    async with engine_of() as made:
        ledger = Ledger(made.store, ManualClock())
        async with counting(ledger, made.registry):
            root = await made.root()
            ledger.show(root, 4, ())
        assert (await made.store.accounts((root,)))[0].general == 4
        assert await made.store.begin_counting(9) == ()


async def test_what_cannot_be_kept_is_kept_with_the_next() -> None:
    """A store that refuses costs nothing but time, and is told of once."""
    store = Noticed()
    made = await born(store)
    store.fault = StoreFault("the disk is full")
    with capture_logs() as logs:
        async with running(made), asyncio.timeout(10):
            await store.tried.wait()
            show(made)
    assert [entry["event"] for entry in logs] == ["counts are not kept"]
    assert store.tries == 2
    store.fault = None
    async with running(made):
        pass
    assert (await store.accounts((CHILD.node_id,)))[0].mail == 10


async def test_a_full_disk_keeps_no_daemon_from_starting() -> None:
    """That a life has begun is noted as soon as it can be; it is told of once."""
    store = MemoryStore()
    store.fault = StoreFault("the disk is full")
    with capture_logs() as logs:
        made = await born(store)
        async with running(made):
            show(made)
    assert [entry["event"] for entry in logs] == ["counts are not kept"]
    store.fault = None
    task = asyncio.create_task(made.run())
    made.stop()
    await task
    assert (await store.accounts((CHILD.node_id,)))[0].mail == 10
    assert (await a_ledger(store)).lives == ()


async def test_nothing_new_writes_nothing() -> None:
    """The same definitions again, and no bytes, are no news."""
    store = MemoryStore()
    made = await born(store)
    async with running(made):
        made.define(CHILD.node_id, 7)
    kept = await store.accounts((CHILD.node_id,))
    made.define(CHILD.node_id, 7)
    made.stream(CHILD.node_id, Stream.SAID, 0)
    assert (await account_of(made)) is kept[0]


def test_a_tree_with_other_nodes_is_left_alone() -> None:
    """Events of nobody's birth or end count nothing."""
    made = Ledger(MemoryStore(), ManualClock())
    made.on_events((), replace(TREE, seq=4))
